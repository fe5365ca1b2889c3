// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rtsweep::testing {

// The formats of Linux 6.1 for amd64, as its tracefs has them, without the common fields.
struct EventFormat {
  int id;
  const char* system;
  const char* name;
  const char* fields_and_print;
};

inline constexpr const char* kCommonFields =
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n";

#define RTSWEEP_WAKING_FIELDS                                                               \
  "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"                                \
  "\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"                                    \
  "\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n"                                     \
  "\tfield:int target_cpu;\toffset:32;\tsize:4;\tsigned:1;\n\n"                             \
  "print fmt: \"comm=%s pid=%d prio=%d target_cpu=%03d\", REC->comm, REC->pid, REC->prio, " \
  "REC->target_cpu\n"
#define RTSWEEP_CALLER_FIELDS                                                                    \
  "\tfield:s32 caller_offs;\toffset:8;\tsize:4;\tsigned:1;\n"                                    \
  "\tfield:s32 parent_offs;\toffset:12;\tsize:4;\tsigned:1;\n\n"                                 \
  "print fmt: \"caller=%pS parent=%pS\", (void *)((unsigned long)(_stext) + REC->caller_offs), " \
  "(void *)((unsigned long)(_stext) + REC->parent_offs)\n"
#define RTSWEEP_VECTOR_FIELDS                              \
  "\tfield:int vector;\toffset:8;\tsize:4;\tsigned:1;\n\n" \
  "print fmt: \"vector=%d\", REC->vector\n"
#define RTSWEEP_SOFTIRQ_FIELDS                                                                   \
  "\tfield:unsigned int vec;\toffset:8;\tsize:4;\tsigned:0;\n\n"                                 \
  "print fmt: \"vec=%u [action=%s]\", REC->vec, __print_symbolic(REC->vec, { 0, \"HI\" }, { 1, " \
  "\"TIMER\" }, { 2, \"NET_TX\" }, { 3, \"NET_RX\" }, { 4, \"BLOCK\" }, { 5, \"IRQ_POLL\" }, { " \
  "6, \"TASKLET\" }, { 7, \"SCHED\" }, { 8, \"HRTIMER\" }, { 9, \"RCU\" })\n"

inline constexpr EventFormat kEventFormats[] = {
    {4, "ftrace", "kernel_stack",
     "\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n"
     "\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n\n"
     "print fmt: \"\\t=> %ps\\n\\t=> %ps\\n\\t=> %ps\\n\" \"\\t=> %ps\\n\\t=> %ps\\n\\t=> %ps\\n\" "
     "\"\\t=> %ps\\n\\t=> %ps\\n\", (void *)REC->caller[0], (void *)REC->caller[1], (void "
     "*)REC->caller[2], (void *)REC->caller[3], (void *)REC->caller[4], (void *)REC->caller[5], "
     "(void *)REC->caller[6], (void *)REC->caller[7]\n"},
    {5, "ftrace", "print",
     "\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
     "\tfield:char buf[];\toffset:16;\tsize:0;\tsigned:0;\n\n"
     "print fmt: \"%ps: %s\", (void *)REC->ip, REC->buf\n"},
    {17, "ftrace", "timerlat",
     "\tfield:unsigned int seqnum;\toffset:8;\tsize:4;\tsigned:0;\n"
     "\tfield:int context;\toffset:12;\tsize:4;\tsigned:1;\n"
     "\tfield:u64 timer_latency;\toffset:16;\tsize:8;\tsigned:0;\n\n"
     "print fmt: \"seq:%u\\tcontext:%d\\ttimer_latency:%llu\\n\", REC->seqnum, REC->context, "
     "REC->timer_latency\n"},
    {91, "irq_vectors", "local_timer_exit", RTSWEEP_VECTOR_FIELDS},
    {92, "irq_vectors", "local_timer_entry", RTSWEEP_VECTOR_FIELDS},
    {149, "irq", "softirq_exit", RTSWEEP_SOFTIRQ_FIELDS},
    {150, "irq", "softirq_entry", RTSWEEP_SOFTIRQ_FIELDS},
    {152, "irq", "irq_handler_entry",
     "\tfield:int irq;\toffset:8;\tsize:4;\tsigned:1;\n"
     "\tfield:__data_loc char[] name;\toffset:12;\tsize:4;\tsigned:0;\n\n"
     "print fmt: \"irq=%d name=%s\", REC->irq, __get_str(name)\n"},
    {319, "sched", "sched_switch",
     "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
     "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
     "\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
     "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
     "\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
     "\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
     "\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n\n"
     "print fmt: \"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==> next_comm=%s "
     "next_pid=%d next_prio=%d\", REC->prev_comm, REC->prev_pid, REC->prev_prio, (REC->prev_state "
     "& ((((0x00000000 | 0x00000001 | 0x00000002 | 0x00000004 | 0x00000008 | 0x00000010 | "
     "0x00000020 | 0x00000040) + 1) << 1) - 1)) ? __print_flags(REC->prev_state & ((((0x00000000 "
     "| 0x00000001 | 0x00000002 | 0x00000004 | 0x00000008 | 0x00000010 | 0x00000020 | 0x00000040) "
     "+ 1) << 1) - 1), \"|\", { 0x00000001, \"S\" }, { 0x00000002, \"D\" }, { 0x00000004, \"T\" "
     "}, { 0x00000008, \"t\" }, { 0x00000010, \"X\" }, { 0x00000020, \"Z\" }, { 0x00000040, "
     "\"P\" }, { 0x00000080, \"I\" }) : \"R\", REC->prev_state & (((0x00000000 | 0x00000001 | "
     "0x00000002 | 0x00000004 | 0x00000008 | 0x00000010 | 0x00000020 | 0x00000040) + 1) << 1) ? "
     "\"+\" : \"\", REC->next_comm, REC->next_pid, REC->next_prio\n"},
    {321, "sched", "sched_wakeup", RTSWEEP_WAKING_FIELDS},
    {322, "sched", "sched_waking", RTSWEEP_WAKING_FIELDS},
    {377, "timer", "hrtimer_expire_exit",
     "\tfield:void * hrtimer;\toffset:8;\tsize:8;\tsigned:0;\n\n"
     "print fmt: \"hrtimer=%p\", REC->hrtimer\n"},
    {378, "timer", "hrtimer_expire_entry",
     "\tfield:void * hrtimer;\toffset:8;\tsize:8;\tsigned:0;\n"
     "\tfield:s64 now;\toffset:16;\tsize:8;\tsigned:1;\n"
     "\tfield:void * function;\toffset:24;\tsize:8;\tsigned:0;\n\n"
     "print fmt: \"hrtimer=%p function=%ps now=%llu\", REC->hrtimer, REC->function, (unsigned "
     "long long) REC->now\n"},
    {379, "timer", "hrtimer_start",
     "\tfield:void * hrtimer;\toffset:8;\tsize:8;\tsigned:0;\n"
     "\tfield:void * function;\toffset:16;\tsize:8;\tsigned:0;\n"
     "\tfield:s64 expires;\toffset:24;\tsize:8;\tsigned:1;\n"
     "\tfield:s64 softexpires;\toffset:32;\tsize:8;\tsigned:1;\n"
     "\tfield:enum hrtimer_mode mode;\toffset:40;\tsize:4;\tsigned:0;\n\n"
     "print fmt: \"hrtimer=%p function=%ps expires=%llu softexpires=%llu mode=%s\", REC->hrtimer, "
     "REC->function, (unsigned long long) REC->expires, (unsigned long long) REC->softexpires, "
     "__print_symbolic(REC->mode, { 0, \"ABS\" }, { 1, \"REL\" }, { 8, \"ABS|HARD\" })\n"},
    {480, "preemptirq", "irq_disable", RTSWEEP_CALLER_FIELDS},
    {481, "preemptirq", "irq_enable", RTSWEEP_CALLER_FIELDS},
    {1700, "synthetic", "rtsweep_late",
     "\tfield:s64 latency_ns;\toffset:8;\tsize:8;\tsigned:1;\n"
     "\tfield:pid_t pid;\toffset:16;\tsize:4;\tsigned:1;\n\n"
     "print fmt: \"latency_ns=%lld, pid=%d\", REC->latency_ns, REC->pid\n"},
};
#undef RTSWEEP_WAKING_FIELDS
#undef RTSWEEP_CALLER_FIELDS
#undef RTSWEEP_VECTOR_FIELDS
#undef RTSWEEP_SOFTIRQ_FIELDS

// Bytes of numbers, little endian.
class Bytes {
 public:
  template <typename T>
  Bytes& number(T value) {
    text_.append(reinterpret_cast<const char*>(&value), sizeof(value));
    return *this;
  }
  Bytes& text(std::string_view text, size_t size) {
    std::string padded(text.substr(0, size));
    padded.resize(size);
    text_ += padded;
    return *this;
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

struct TestTask {
  const char* comm;
  int32_t pid;
  int32_t prio;
};

inline constexpr uint64_t kTestStext = 0xffffffff81000000;  // in the symbols below
inline constexpr uint64_t kTestDoNasty = kTestStext + 0x1000;
inline constexpr uint64_t kTestNastyIoctl = kTestStext + 0x2000;
inline constexpr uint64_t kTestInterrupt = kTestStext + 0x5000;

// Writes a trace.dat of version 6 as trace-cmd reads it: 64 bit, little endian, pages of 4096
// bytes, clock mono, the formats above. Events of a CPU come in the order of time.
class TraceDatBuilder {
 public:
  static constexpr size_t kPage = 4'096;

  explicit TraceDatBuilder(size_t cpus) : cpus_(cpus) {}

  // What the flag columns show: 1 interrupts off, 4 need-resched, 8 hard interrupt.
  struct At {
    size_t cpu = 0;
    uint64_t time_ns = 0;
    int32_t pid = 0;
    uint8_t flags = 0;
    uint8_t preempt_count = 0;
  };

  void comm(int32_t pid, const char* name) { comms_[pid] = name; }

  void event(const At& at, uint16_t id, const std::string& fields) {
    Bytes head;
    head.number(id).number(at.flags).number(at.preempt_count).number(at.pid);
    record(at.cpu, at.time_ns, head.take() + fields);
  }

  void sched_switch(const At& at, const TestTask& prev, int64_t state, const TestTask& next) {
    Bytes fields;
    fields.text(prev.comm, 16).number(prev.pid).number(prev.prio).number(state);
    fields.text(next.comm, 16).number(next.pid).number(next.prio);
    event(at, 319, fields.take());
  }
  void sched_waking(const At& at, const TestTask& task, int32_t cpu) {
    Bytes fields;
    fields.text(task.comm, 16).number(task.pid).number(task.prio).number(cpu);
    event(at, 322, fields.take());
  }
  void hrtimer_start(const At& at, uint64_t timer, int64_t expires) {
    Bytes fields;
    fields.number(timer).number(kTestStext + 0x3000).number(expires).number(expires);
    event(at, 379, fields.number(int32_t{8}).number(int32_t{0}).take());
  }
  void hrtimer_expire_entry(const At& at, uint64_t timer, int64_t now) {
    event(at, 378, Bytes().number(timer).number(now).number(kTestStext + 0x3000).take());
  }
  void hrtimer_expire_exit(const At& at, uint64_t timer) {
    event(at, 377, Bytes().number(timer).take());
  }
  void local_timer_entry(const At& at) { event(at, 92, Bytes().number(int32_t{236}).take()); }
  void local_timer_exit(const At& at) { event(at, 91, Bytes().number(int32_t{236}).take()); }
  void print(const At& at, const std::string& text) {
    event(at, 5, Bytes().number(kTestStext + 0x4000).take() + text + std::string(1, '\0'));
  }
  void rtsweep_late(const At& at, int64_t latency_ns, int32_t pid) {
    event(at, 1700, Bytes().number(latency_ns).number(pid).number(int32_t{0}).take());
  }
  void timerlat(const At& at, uint32_t number, int32_t context, uint64_t latency) {
    event(at, 17, Bytes().number(number).number(context).number(latency).take());
  }
  // Of functions in the symbols; belongs to the event before it.
  void kernel_stack(const At& at, const std::vector<uint64_t>& addresses) {
    Bytes fields;
    fields.number(static_cast<int32_t>(addresses.size())).number(int32_t{0});
    for (const uint64_t address : addresses) fields.number(address);
    event(at, 4, fields.take());
  }

  // The next page of the CPU says that so many events were lost before it.
  void lose(size_t cpu, uint64_t count) {
    close_page(cpu);
    cpus_[cpu].lost = count;
  }

  // The file. The pages can be taken away to be written one after the other.
  std::string finish() {
    for (size_t cpu = 0; cpu < cpus_.size(); ++cpu) close_page(cpu);
    std::vector<uint64_t> sizes;
    for (const Cpu& cpu : cpus_) sizes.push_back(cpu.pages.size());
    std::string file = head(sizes);
    for (const Cpu& cpu : cpus_) file += cpu.pages;
    return file;
  }

  std::string take_pages(size_t cpu) {
    close_page(cpu);
    return std::exchange(cpus_[cpu].pages, {});
  }

  // All in front of the pages, of which each CPU has that many bytes.
  std::string head(const std::vector<uint64_t>& page_bytes) const {
    std::string file = std::string("\x17\x08\x44tracing6\0", 12) + std::string("\0\x08", 2);
    file += Bytes().number(uint32_t{kPage}).take();
    add_sized<uint64_t>(file += std::string("header_page\0", 12), kHeaderPage);
    add_sized<uint64_t>(file += std::string("header_event\0", 13), "# compressed entry header\n");
    add_formats(file);
    add_sized<uint32_t>(file, kSymbols);
    add_sized<uint32_t>(file, "");
    std::string lines;
    for (const auto& [pid, name] : comms_) lines += std::to_string(pid) + " " + name + "\n";
    add_sized<uint64_t>(file, lines);
    file += Bytes().number(static_cast<uint32_t>(page_bytes.size())).take();
    file += std::string("options  \0", 10);
    add_option(file, 4, std::string("local global counter [mono] boot\0", 33));
    add_option(file, 5, std::string("Linux host 6.1.0-rt-test #1 SMP PREEMPT_RT x86_64\0", 50));
    file += Bytes().number(uint16_t{0}).take() + std::string("flyrecord\0", 10);
    uint64_t offset = (file.size() + page_bytes.size() * 16 + kPage - 1) / kPage * kPage;
    const uint64_t begin = offset;
    for (const uint64_t size : page_bytes) {
      file += Bytes().number(offset).number(size).take();
      offset += size;
    }
    file.resize(begin);
    return file;
  }

 private:
  struct Cpu {
    std::string pages;
    std::string data;  // of the page that is being filled
    uint64_t page_time = 0;
    uint64_t last_time = 0;
    uint64_t lost = 0;
  };

  static constexpr const char* kHeaderPage =
      "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
      "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
      "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
      "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";
  static constexpr const char* kSymbols =
      "ffffffff81000000 T _stext\n"
      "ffffffff81001000 t do_nasty\t[nasty]\n"
      "ffffffff81002000 t nasty_ioctl\t[nasty]\n"
      "ffffffff81003000 t hrtimer_wakeup\n"
      "ffffffff81004000 t tracing_mark_write\n"
      "ffffffff81005000 T asm_sysvec_apic_timer_interrupt\n"
      "ffffffff81006000 T _etext\n";

  template <typename Size>
  static void add_sized(std::string& file, const std::string& content) {
    file += Bytes().number(static_cast<Size>(content.size())).take() + content;
  }
  static void add_option(std::string& file, uint16_t id, const std::string& content) {
    file += Bytes().number(id).take();
    add_sized<uint32_t>(file, content);
  }

  static std::string format_text(const EventFormat& format) {
    return std::string("name: ") + format.name + "\nID: " + std::to_string(format.id) +
           "\nformat:\n" + kCommonFields + format.fields_and_print;
  }

  static void add_formats(std::string& file) {
    std::map<std::string, std::vector<std::string>> systems;
    for (const EventFormat& format : kEventFormats) {
      systems[format.system].push_back(format_text(format));
    }
    const auto add = [&file](const std::vector<std::string>& formats) {
      file += Bytes().number(static_cast<uint32_t>(formats.size())).take();
      for (const std::string& format : formats) add_sized<uint64_t>(file, format);
    };
    add(systems["ftrace"]);
    systems.erase("ftrace");
    file += Bytes().number(static_cast<uint32_t>(systems.size())).take();
    for (const auto& [system, formats] : systems) {
      file += system + std::string(1, '\0');
      add(formats);
    }
  }

  // Data of up to 112 bytes: its length in words and the time since the last are in one word.
  void record(size_t cpu_index, uint64_t time_ns, std::string data) {
    Cpu& cpu = cpus_.at(cpu_index);
    data.resize((data.size() + 3) / 4 * 4);
    if (16 + cpu.data.size() + data.size() + 16 > kPage) close_page(cpu_index);
    if (cpu.data.empty()) cpu.page_time = cpu.last_time = time_ns;
    uint64_t delta = time_ns - cpu.last_time;
    if (delta >= uint64_t{1} << 27) {
      const auto low = static_cast<uint32_t>(delta & ((1U << 27) - 1));
      cpu.data += Bytes().number(low << 5 | 30U).number(static_cast<uint32_t>(delta >> 27)).take();
      delta = 0;
    }
    const bool is_long = data.size() > 112;
    const auto words = static_cast<uint32_t>(is_long ? 0 : data.size() / 4);
    cpu.data += Bytes().number(static_cast<uint32_t>(delta) << 5 | words).take();
    if (is_long) cpu.data += Bytes().number(static_cast<uint32_t>(data.size() + 4)).take();
    cpu.data += data;
    cpu.last_time = time_ns;
  }

  void close_page(size_t index) {
    Cpu& cpu = cpus_.at(index);
    if (cpu.data.empty()) return;
    uint64_t commit = cpu.data.size();
    if (cpu.lost > 0) {
      commit |= uint64_t{3} << 30;
      cpu.data += Bytes().number(cpu.lost).take();
      cpu.lost = 0;
    }
    std::string page = Bytes().number(cpu.page_time).number(commit).take() + cpu.data;
    page.resize(kPage);
    cpu.pages += page;
    cpu.data.clear();
  }

  std::vector<Cpu> cpus_;
  std::map<int32_t, std::string> comms_;
};

}  // namespace rtsweep::testing
