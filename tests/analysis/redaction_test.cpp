// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/redaction.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace rtsweep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string redacted(std::string_view text) {
  Redactor redactor;
  redactor.learn(text);
  return redactor.text(text);
}

TEST(Redaction, FindsAddressesByTheirForm) {
  EXPECT_EQ(redacted("eth0: b8:27:eb:12:34:56 up"), "eth0: 02:00:00:00:00:01 up");
  EXPECT_EQ(redacted("enxb827eb123456: link up"), "enx020000000001: link up");
  EXPECT_EQ(redacted("from 192.168.178.23, port"), "from ip1, port");
  EXPECT_EQ(redacted("addr fe80::ba27:ebff:fe12:3456 ok"), "addr ipv6-1 ok");
  EXPECT_EQ(redacted("root=UUID=2b6f0cc9-04fe-4f8d-9f6e-6f0f3d7c1a11 ro"),
            "root=UUID=00000000-0000-0000-0000-000000000001 ro");
  EXPECT_EQ(redacted("root=PARTUUID=6c586e13-02 rw"), "root=PARTUUID=00000000-01 rw");
}

TEST(Redaction, FindsNamesByWhatStandsBeforeThem) {
  EXPECT_EQ(redacted(R"({"nodename":"lab-seven"})"), R"({"nodename":"host1"})");
  EXPECT_EQ(redacted("usb 1-1: SerialNumber: 4C530001230415"), "usb 1-1: SerialNumber: serial1");
  EXPECT_EQ(redacted("Serial\t\t: 100000001a2b3c4d"), "Serial\t\t: serial1");
  EXPECT_EQ(redacted("wlan0: Trying to associate with SSID 'Kitchen Net'"),
            "wlan0: Trying to associate with SSID 'ssid1'");
  EXPECT_EQ(redacted("ESSID:\"Kitchen\""), "ESSID:\"ssid1\"");
  EXPECT_EQ(redacted("systemd[1]: Hostname set to <lab-seven>."),
            "systemd[1]: Hostname set to <host1>.");
  EXPECT_EQ(redacted("Dec  1 12:00:00 lab7 kernel: x"), "Dec  1 12:00:00 host1 kernel: x");
  EXPECT_EQ(redacted("Linux version 6.12.0-rt (wilma@buildbox) (gcc 12)"),
            "Linux version 6.12.0-rt (user1@host1) (gcc 12)");
  EXPECT_EQ(redacted("ip=10.0.0.5:10.0.0.1::255.255.255.0:lab-seven:eth0"),
            "ip=ip1:ip2::255.255.255.0:host1:eth0");
}

TEST(Redaction, KeepsNothingBelowAHomeDirectory) {
  EXPECT_EQ(redacted("config=\"/home/wilma/customer-x/rt.config\""),
            "config=\"/home/user1/path1\"");
  EXPECT_EQ(redacted("in /root/secret.txt: No such file"), "in /root/path1: No such file");
  EXPECT_EQ(redacted("cd /home/wilma; ls"), "cd /home/user1; ls");
}

// A name that only one file gives away is found in all.
TEST(Redaction, KnowsANameEverywhereAndGivesItOnePseudonym) {
  Redactor redactor;
  redactor.learn(R"({"nodename":"lab-seven"})");
  redactor.learn("ls /home/wilma");

  EXPECT_EQ(redactor.text("comm=wilma-worker on lab-seven.example.net"),
            "comm=user1-worker on host1.example.net");
  EXPECT_EQ(redactor.text("prefix lab-seven"), "prefix host1");
}

// TASK_COMM_LEN: a task's name has 15 characters.
TEST(Redaction, FindsANameThatWasCutToATasksName) {
  Redactor redactor;
  redactor.know(SecretKind::kHost, "measuring-computer-7");

  EXPECT_EQ(redactor.text("comm=measuring-compu pid=7"), "comm=host1 pid=7");
}

TEST(Redaction, LeavesAloneWhatIsNoSecret) {
  for (const std::string text :
       {"[   12.345678] pci 0000:00:1f.2: [8086:2922]", "12:34:56 up", "127.0.0.1 localhost",
        "255.255.255.0", "linux-6.12.3.1", "Serial: 8250/16550 driver, 4 ports",
        "sha256 2b6f0cc904fe4f8d9f6e6f0f3d7c1a112b6f0cc904fe4f8d9f6e6f0f3d7c1a11",
        "console=serial0,115200", "user space", "CPU: 0 PID: 1 Comm: swapper/0",
        "std::vector<int>::begin", "T: 0 ( 77) P:90 I:1000 C: 100 Min: 5 Act: 7 Max: 208"}) {
    EXPECT_EQ(redacted(text), text);
  }
}

TEST(Redaction, DoesNotSpoilWordsThatHoldAShortName) {
  Redactor redactor;
  redactor.know(SecretKind::kHost, "lab");

  EXPECT_EQ(redactor.text("the lab has a label"), "the host1 has a label");
}

// A serial number of digits may be a number in JSON.
TEST(Redaction, LeavesJsonValid) {
  Redactor redactor;
  const std::string json = R"({"serial":"12345678","at_us":12345678,"path":"/home/wilma/a b"})";
  redactor.learn(json);

  const std::string clean = redactor.text(json);

  EXPECT_TRUE(nlohmann::json::accept(clean)) << clean;
  EXPECT_THAT(clean, Not(HasSubstr("12345678")));
  EXPECT_THAT(clean, Not(HasSubstr("wilma")));
}

TEST(Redaction, FindsAnSsidAsJsonWritesIt) {
  Redactor redactor;
  redactor.know(SecretKind::kSsid, "Caf\xc3\xa9 \"7\"");

  EXPECT_EQ(redactor.text(R"(["Caf\u00e9 \"7\""])"), R"(["ssid1"])");
}

TEST(Redaction, KeepsTheLengthOfBinaryData) {
  Redactor redactor;
  redactor.know(SecretKind::kUser, "wilma");
  redactor.know(SecretKind::kHost, "measuring-computer");
  const std::string data(
      "\x05\x00wilma\0\0\0measuring-computer kernel\0\xff 10.20.30.40\0wilma-job\0", 69);

  const std::string clean = redactor.binary(data);

  ASSERT_EQ(clean.size(), data.size());
  EXPECT_THAT(clean, Not(HasSubstr("wilma")));
  EXPECT_THAT(clean, Not(HasSubstr("measuring")));
  EXPECT_THAT(clean, Not(HasSubstr("10.20.30")));
  EXPECT_EQ(clean.substr(0, 10), std::string("\x05\x00user1\0\0\0", 10));
  EXPECT_THAT(clean, HasSubstr("host1xxxxxxxxxxxxx kernel"));
  EXPECT_THAT(clean, HasSubstr("user1-job"));
}

// The formats of events in a trace.dat speak of SSIDs and serial numbers.
TEST(Redaction, TakesNoWordsOfEventFormatsForNames) {
  Redactor redactor;
  const std::string data("\0print fmt: \"ssid='abc' serial=abcd1234 user=xyz\" /home/wilma\0", 62);
  redactor.learn(data);

  EXPECT_EQ(redactor.binary(data),
            std::string("\0print fmt: \"ssid='abc' serial=abcd1234 user=xyz\" /home/user1\0", 62));
}

TEST(Redaction, CutsAPseudonymThatIsTooLongToItsNumber) {
  Redactor redactor;
  redactor.know(SecretKind::kUser, "ann");

  EXPECT_EQ(redactor.binary(std::string("\0ann\0", 5)), std::string("\0us1\0", 5));
}

TEST(Redaction, ChangesNothingTheSecondTime) {
  Redactor redactor;
  const std::string text =
      "b8:27:eb:12:34:56 /home/wilma/x 2b6f0cc9-04fe-4f8d-9f6e-6f0f3d7c1a11 fe80::1:2 10.1.2.3";
  redactor.learn(text);

  const std::string once = redactor.text(text);

  EXPECT_EQ(redactor.text(once), once);
}

TEST(Redaction, CountsByKindAndNamesNoSecret) {
  Redactor redactor;
  redactor.learn("user=wilma");
  redactor.text("wilma wilma 10.0.0.1");

  EXPECT_THAT(redaction_lines(redactor.counts()),
              ElementsAre("1 user name, in 2 places", "1 IPv4 address, in 1 place"));
}

TEST(Redaction, TellsWhetherASecretIsStillThere) {
  Redactor redactor;
  redactor.know(SecretKind::kUser, "wilma");

  EXPECT_TRUE(redactor.holds_secret("x wilma y"));
  EXPECT_FALSE(redactor.holds_secret("x user1 y"));
}

}  // namespace
}  // namespace rtsweep
