// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "runner/base/command.h"
#include "runner/base/result.h"
#include "runner/base/unique_fd.h"
#include "runner/host/host_root.h"

namespace rtsweep {

inline constexpr char kUndoFile[] = "undo.jsonl";

// How to put back one thing that is about to be changed.
//
// An interrupt that may go to CPUs "0-1" really goes to one of them, and stays there when it
// is given a list that has its CPU. So that it goes where it went, and does not stay where
// tuning sent it, its file is given that CPU first (`via`) and then the old list. That is an
// attempt: an interrupt that is being handled moves later than the write.
struct UndoEntry {
  enum class Kind { kFile, kService, kTraceInstance };
  Kind kind = Kind::kFile;
  std::string name;  // "sys/devices/..." below the HostRoot; "irqbalance.service"; the directory
                     // of an instance of ftrace that was made and is to be removed
  std::string old;   // the file's value; a service was active
  std::string via;   // written before it, where set and taken; see below
  std::string boot;  // boot_id of the boot in which it held

  bool operator==(const UndoEntry&) const = default;
};

std::string undo_line(const UndoEntry& entry);

// Reads an undo list, leniently, since a machine is to be put back: lines that cannot be
// read are left out and counted. A torn last line (power cut while writing) is none of
// them: nothing had been changed yet.
struct UndoEntries {
  std::vector<UndoEntry> entries;
  int damaged = 0;
};
UndoEntries parse_undo_list(std::string_view text);

// What undoing came to.
struct UndoReport {
  int restored = 0;                   // they had another value than before
  int of_earlier_boot = 0;            // left out: the reboot has undone them
  int damaged = 0;                    // lines that could not be read
  std::vector<std::string> vanished;  // files that are not there any more
  std::vector<std::string> failed;    // "write /sys/...: Permission denied"

  bool empty() const;
  std::string text() const;  // one line, without an end
};

// What this program has changed on the machine and how to put it back: undo.jsonl in a
// state directory, on disk (file and directory) before the change that it is about. It
// outlives a kill -9 and the run directory; the next start undoes what it finds.
//
// Only one process has a list at a time, until the object ends: two runners must not
// undo each other's tuning.
//
// The list is believed as far as it can be proved to be ours: the file must belong to
// the user who runs this, its entries to this boot (a foreign run directory's do not),
// and only files below /sys, /proc/sys and /proc/irq are written. Values of an earlier
// boot are gone with it, and so is a stopped service: whatever is enabled has come up
// again, and what somebody had started by hand would not run without us either.
class UndoList {
 public:
  // Makes the directory if need be. kIo naming the directory when it cannot be written,
  // kNotSupported when another process has the list. `commands` must outlive it.
  static Result<UndoList> open(HostRoot host, CommandRunner& commands,
                               const std::filesystem::path& directory);

  // Whether a directory holds a list with something in it. Never makes anything.
  static bool left_in(const std::filesystem::path& directory);

  // On disk when this returns. Of a file that is in the list already the older value is
  // kept, since it is the one to put back. `boot` is filled in.
  Result<void> remember(std::vector<UndoEntry> entries);

  // Puts everything back, the latest change first, and reads back each. May be repeated:
  // what has its old value is not written. Entries that could not be restored or whose
  // file is missing stay in the list (a CPU may come back with the value that it had), but
  // those of interrupts that are gone do not: their number may become another device's.
  Result<UndoReport> undo();

  CommandRunner& commands() const { return *commands_; }
  const std::filesystem::path& file() const { return file_; }

 private:
  UndoList(HostRoot host, CommandRunner& commands, std::filesystem::path file, UniqueFd lock)
      : host_(std::move(host)),
        commands_(&commands),
        file_(std::move(file)),
        lock_(std::move(lock)) {}

  Result<void> load();
  Result<void> save() const;
  bool knows(const UndoEntry& entry) const;
  bool put_back(const UndoEntry& entry, UndoReport& report) const;  // true: done with it
  bool put_back_file(const UndoEntry& entry, UndoReport& report) const;
  bool put_back_service(const UndoEntry& entry, UndoReport& report) const;
  bool remove_instance(const UndoEntry& entry, UndoReport& report) const;

  HostRoot host_;
  CommandRunner* commands_;
  std::filesystem::path file_;
  UniqueFd lock_;
  std::string boot_;
  std::vector<UndoEntry> entries_;
  int damaged_ = 0;
};

// Where undo lists are, so that they survive the run being deleted: $RTSWEEP_STATE, else
// /var/lib/rtsweep.
std::filesystem::path state_directory();

// Where a new list belongs: the state directory, made if need be; the run directory where
// that cannot be written.
struct UndoPlace {
  std::filesystem::path directory;
  std::string warning;  // why it is the run directory
};
UndoPlace undo_place(const std::filesystem::path& run_directory);

}  // namespace rtsweep
