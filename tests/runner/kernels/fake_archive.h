// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "runner/base/command.h"
#include "runner/base/text.h"

namespace rtsweep::testing {

// Debian's archive behind apt-get: answers what apt-get would, and builds the package
// files that it would download with the real dpkg-deb. Other commands run for real.
class FakeArchive : public CommandRunner {
 public:
  struct Package {
    std::string name;
    std::string version;
    std::string arch;
    std::map<std::string, std::string> files;  // by path; "-> TARGET" is a symbolic link
  };

  std::vector<Package> packages;  // what every request resolves to
  std::string offline;            // if not empty: what apt-get says instead
  int failing_updates = 0;        // that many fail before one succeeds
  std::vector<std::vector<std::string>> apt_commands;

  Result<std::string> run(const std::vector<std::string>& argv) override {
    const auto apt = std::ranges::find(argv, "apt-get");
    if (apt == argv.end()) return system_.run(argv);
    apt_commands.push_back(argv);
    if (!offline.empty()) return Error(Errc::kChildFailed, offline);
    if (has(argv, "update")) return update();
    if (has(argv, "--simulate")) return simulation();
    return download(argv[2], std::vector<std::string>(apt, argv.end()));
  }

  int count(const std::string& word) const {
    return static_cast<int>(
        std::ranges::count_if(apt_commands, [&](const auto& argv) { return has(argv, word); }));
  }

 private:
  static bool has(const std::vector<std::string>& argv, const std::string& word) {
    return std::ranges::find(argv, word) != argv.end();
  }

  Result<std::string> update() {
    if (failing_updates-- > 0) return Error(Errc::kChildFailed, "E: Failed to fetch InRelease");
    return std::string("Reading package lists...\n");
  }

  std::string simulation() const {
    std::string output = "NOTE: This is only a simulation!\n";
    for (const Package& package : packages) {
      output += "Inst " + package.name + " (" + package.version + " Debian:12.15/oldstable [" +
                package.arch + "])\n";
    }
    return output;
  }

  Result<std::string> download(const std::filesystem::path& directory,
                               const std::vector<std::string>& argv) {
    for (const Package& package : packages) {
      if (has(argv, package.name + "=" + package.version)) {
        const auto built = build(package, directory);
        if (!built) return built;
      }
    }
    return std::string();
  }

  Result<std::string> build(const Package& package, const std::filesystem::path& directory) {
    namespace fs = std::filesystem;
    const fs::path root = directory / "build";
    write(root / "DEBIAN/control",
          "Package: " + package.name + "\nVersion: " + package.version + "\nArchitecture: " +
              package.arch + "\nMaintainer: nobody <nobody@example.org>\nDescription: test\n");
    for (const auto& [path, content] : package.files) write(root / path, content);
    std::string version = package.version;
    if (const size_t colon = version.find(':'); colon != std::string::npos) {
      version.replace(colon, 1, "%3a");
    }
    const fs::path deb = directory / (package.name + "_" + version + "_" + package.arch + ".deb");
    auto built = system_.run(
        {"dpkg-deb", "--root-owner-group", "-Zgzip", "-b", root.string(), deb.string()});
    fs::remove_all(root);
    return built;
  }

  static void write(const std::filesystem::path& file, const std::string& content) {
    std::filesystem::create_directories(file.parent_path());
    if (content.starts_with("-> ")) {
      std::filesystem::create_symlink(content.substr(3), file);
    } else {
      std::ofstream(file, std::ios::binary) << content;
    }
  }

  SystemCommands system_;
};

}  // namespace rtsweep::testing
