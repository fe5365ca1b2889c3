/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * A plugin for QEMU's TCG that writes down the path of each wakeup of a timer's sleeper,
 * from outside the guest, which executes the same instructions with it and without it.
 *
 * -plugin file=...,out=FILE,mark=ADDRESS,...,wakeup=FIRST-END,user=BELOW,win=FROM-TO,...
 *   mark    kernel code whose execution is written down (at most 64)
 *   wakeup  where hrtimer_wakeup() is: its first load reads the sleeper, which lies on
 *           the stack of the thread that sleeps, and so tells which thread it is
 *   user    addresses below are user space's
 *   win     executed blocks from this instruction to that one are written down (at most 64)
 *
 * The file is "RTSPATH1" and entries in the host's byte order; see analysis/path/record.h.
 */

#include "runner/virtual/plugin/qemu_api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

enum { SHIFT = 3, LIMIT = 64, USER_ENTRIES = 64 };
enum kind { MARK = 1, WAKEUP, USER, CLOCK, BLOCK, END };

struct entry {
	uint64_t icount; /* instructions executed before it */
	int64_t idle_ns; /* virtual time that is not instructions */
	uint64_t value;  /* an address */
	uint32_t kind;
	uint32_t insns; /* of a block */
};

struct block {
	uint64_t pc;
	uint32_t insns;
	bool user;
	bool mark;
	bool wakeup;
};

static FILE *out;
static uint64_t marks[LIMIT], win_from[LIMIT], win_to[LIMIT];
static int n_marks, n_windows;
static uint64_t wakeup_first, wakeup_end, user_below = ~0ull;

static uint64_t icount;        /* of the block that comes next */
static int64_t last_raw = -1;  /* QEMU's count when it was last looked at */
static int64_t idle_ns;
static bool in_user, want_sleeper, want_clock;
static int want_user;          /* entries to user space still to be written down */

static void put(enum kind kind, uint64_t value, uint32_t insns, uint64_t at)
{
	const struct entry e = { at, idle_ns, value, kind, insns };

	fwrite(&e, sizeof e, 1, out);
}

/*
 * QEMU counts a slice of instructions when it ends, or when the guest reads a clock, which
 * ends a block. Where its count has changed, it is that of the next block exactly, and ours,
 * which takes a block that an exception cut short for a whole one, is set right. QEMU does
 * not let a CPU ask in the middle of a block, so the question comes from no CPU.
 */
static bool follow_qemu(void)
{
	void *const cpu = current_cpu;
	bool changed;

	current_cpu = NULL;
	const int64_t raw = icount_get_raw();
	changed = raw != last_raw;
	if (changed) {
		idle_ns = icount_get() - (raw << SHIFT);
		icount = (uint64_t)raw;
		last_raw = raw;
	}
	current_cpu = cpu;
	return changed;
}

static void user_block(const struct block *b, bool counted)
{
	if (want_clock && counted) {
		put(CLOCK, b->pc, 0, icount);
		want_clock = false;
	}
	if (in_user || want_user == 0) return;
	want_user--;
	put(USER, b->pc, 0, icount);
	want_clock = true;
}

static void executed(unsigned int cpu, void *data)
{
	const struct block *b = data;
	const bool counted = follow_qemu();

	(void)cpu;
	if (b->user) user_block(b, counted);
	else want_clock = false;
	in_user = b->user;
	if (b->mark) put(MARK, b->pc, 0, icount);
	if (b->wakeup) want_sleeper = true;
	for (int i = 0; i < n_windows; i++)
		if (icount >= win_from[i] && icount < win_to[i]) {
			put(BLOCK, b->pc, b->insns, icount);
			break;
		}
	icount += b->insns;
}

static void loaded(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t address, void *data)
{
	(void)cpu, (void)info, (void)data;
	if (!want_sleeper) return;
	want_sleeper = false;
	want_user = USER_ENTRIES;
	put(WAKEUP, address, 0, icount);
}

static bool is_mark(uint64_t pc)
{
	for (int i = 0; i < n_marks; i++)
		if (marks[i] == pc) return true;
	return false;
}

/* Blocks stay for good: QEMU may execute one at any time until it throws away all. */
static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	struct block *b = malloc(sizeof *b);

	(void)id;
	if (b == NULL) abort();
	b->pc = qemu_plugin_tb_vaddr(tb);
	b->insns = (uint32_t)qemu_plugin_tb_n_insns(tb);
	b->user = b->pc < user_below;
	b->mark = is_mark(b->pc);
	b->wakeup = b->pc == wakeup_first;
	if (b->pc >= wakeup_first && b->pc < wakeup_end)
		for (uint32_t i = 0; i < b->insns; i++)
			qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(tb, i), loaded,
							 QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_R, NULL);
	qemu_plugin_register_vcpu_tb_exec_cb(tb, executed, QEMU_PLUGIN_CB_NO_REGS, b);
}

static void ended(qemu_plugin_id_t id, void *data)
{
	(void)id, (void)data;
	put(END, 0, 0, icount);
	if (fclose(out) != 0) perror("rtsweep: path record");
}

static bool range(const char *text, uint64_t *from, uint64_t *to)
{
	char *end;

	*from = strtoull(text, &end, 0);
	if (*end != '-') return false;
	*to = strtoull(end + 1, &end, 0);
	return *end == '\0';
}

static bool understand(const char *name, const char *value)
{
	if (strcmp(name, "out") == 0) return (out = fopen(value, "wb")) != NULL;
	if (strcmp(name, "user") == 0) return (user_below = strtoull(value, NULL, 0)) != 0;
	if (strcmp(name, "wakeup") == 0) return range(value, &wakeup_first, &wakeup_end);
	if (strcmp(name, "mark") == 0 && n_marks < LIMIT)
		return (marks[n_marks++] = strtoull(value, NULL, 0)) != 0;
	if (strcmp(name, "win") == 0 && n_windows < LIMIT) {
		n_windows++;
		return range(value, &win_from[n_windows - 1], &win_to[n_windows - 1]);
	}
	return false;
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	(void)info;
	for (int i = 0; i < argc; i++) {
		char *value = strchr(argv[i], '=');

		if (value == NULL) return -1;
		*value++ = '\0';
		if (!understand(argv[i], value)) {
			fprintf(stderr, "rtsweep: path plugin: bad %s=%s\n", argv[i], value);
			return -1;
		}
	}
	if (out == NULL || fwrite("RTSPATH1", 8, 1, out) != 1) return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	qemu_plugin_register_atexit_cb(id, ended, NULL);
	return 0;
}
