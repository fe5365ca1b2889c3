// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/kernels/kernel_source_scripts.h"

#include <set>
#include <vector>

#include "runner/base/text.h"

namespace rtsweep {

// The key is the question itself, the long flags shortened, without what may not be in
// a variable's name.
std::string compiler_probes() {
  return R"(
# The compiler's answers, kept: the same compiler gives the same ones. (rtsweep)
rtsweep-probes := $(srctree)/)" +
         std::string(kProbesFile) + R"(
rtsweep-short = $(subst $(KBUILD_CFLAGS),@C,$(subst $(KBUILD_CPPFLAGS),@P,$(subst $(KBUILD_AFLAGS),@A,$(1))))
rtsweep-key = probe@$(subst $(space),_,$(subst =,_,$(subst :,_,$(subst $(pound),_,$(subst $$,_,$(subst |,_,$(subst ;,_,$(subst \,_,$(call rtsweep-short,$(1))))))))))
$(eval rtsweep-ask = $(value try-run))
rtsweep-keep = $(file >>$(rtsweep-probes),$(1) := $(2))$(2)
rtsweep-answer = $(if $(filter undefined,$(origin $(1))),$(call rtsweep-keep,$(1),$(call rtsweep-ask,$(2),$(3),$(4))),$($(1)))
try-run = $(call rtsweep-answer,$(call rtsweep-key,$(1)|$(2)|$(3)),$(1),$(2),$(3))
-include $(rtsweep-probes)
)";
}

std::string sorted_probes(std::string_view kept) {
  const std::vector<std::string> lines = split(kept, '\n');
  std::set<std::string> answers(lines.begin(), lines.end());
  answers.erase("");
  std::string text;
  for (const std::string& answer : answers) text += answer + "\n";
  return text;
}

// vdso, realmode and boot are linked or converted on the way, and the small objects of
// scripts/mod are read for the target's word size and byte order.
std::string reading_compiler(const std::filesystem::path& compiler,
                             const std::filesystem::path& object) {
  return R"(#!/bin/sh
out= last= compiles=
for argument; do
  case $last in -o) out=$argument ;; esac
  case $argument in -c) compiles=1 ;; esac
  last=$argument
done
case $compiles,$last in
  1,/dev/null | 1,scripts/* | 1,tools/* | 1,*/vdso/* | 1,*/realmode/* | 1,*/boot/*) ;;
  1,*.c)
    )" + shell_quote(std::vector<std::string>{compiler.string()}) +
         R"( -E -fdirectives-only "$@" || exit
    exec cp )" +
         shell_quote(std::vector<std::string>{object.string()}) + R"( "$out" ;;
esac
exec )" + shell_quote(std::vector<std::string>{compiler.string()}) +
         " \"$@\"\n";
}

std::string build_script(const KernelSourceArch& arch, std::span<const std::string> variables) {
  std::vector<std::string> make = {"make", "--output-sync=target", "--old-file=prepare",
                                   "HOSTCC=" + std::string(arch.cross) + "gcc"};
  make.insert(make.end(), variables.begin(), variables.end());
  return R"(#!/bin/sh
# usage: sh rtsweep-build JOBS
# Builds this tree for ever. It was configured and prepared for that elsewhere.
set -e
cd "${0%/*}"
phase() { read -r now rest </proc/uptime; echo "$now $1" >>"${RTSWEEP_PHASES:-/dev/null}"; }
build() { )" +
         shell_quote(make) + R"( "$@"; }
while :; do
  phase 'compile lib'
  build --jobs="$1" lib/math/ arch/)" +
         std::string(arch.directory) + R"(/lib/
  build --jobs="$1" lib/
  phase 'compile the rest'
  build --jobs="$1" vmlinux
  phase clean
  find . -path ./scripts -prune -o '(' -name '*.o' -o -name '*.a' ')' -exec rm -f '{}' +
done
)";
}

}  // namespace rtsweep
