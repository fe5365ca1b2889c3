/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * What the plugin uses of QEMU 7.2, declared by hand, since Debian packages no
 * qemu-plugin.h: the plugin API, version 1 (include/qemu/qemu-plugin.h there), and the
 * instruction counter (include/sysemu/cpu-timers.h), which is not part of that API. The
 * loader refuses the plugin, naming the symbol, where a QEMU does not have them.
 */

#ifndef RTSWEEP_QEMU_API_H
#define RTSWEEP_QEMU_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QEMU_PLUGIN_VERSION 1

typedef uint64_t qemu_plugin_id_t;
typedef struct qemu_info_t qemu_info_t;
typedef uint32_t qemu_plugin_meminfo_t;

enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };
enum qemu_plugin_mem_rw { QEMU_PLUGIN_MEM_R = 1 };

struct qemu_plugin_tb;
struct qemu_plugin_insn;

typedef void (*qemu_plugin_udata_cb_t)(qemu_plugin_id_t id, void *data);
typedef void (*qemu_plugin_tb_trans_cb_t)(qemu_plugin_id_t id, struct qemu_plugin_tb *block);
typedef void (*qemu_plugin_exec_cb_t)(unsigned int cpu, void *data);
typedef void (*qemu_plugin_mem_cb_t)(unsigned int cpu, qemu_plugin_meminfo_t info,
				     uint64_t address, void *data);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_plugin_tb_trans_cb_t cb);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *block, qemu_plugin_exec_cb_t cb,
					  enum qemu_plugin_cb_flags flags, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, qemu_plugin_mem_cb_t cb,
				      enum qemu_plugin_cb_flags flags, enum qemu_plugin_mem_rw rw,
				      void *data);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_plugin_udata_cb_t cb, void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t i);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);

/* The CPU that the calling thread runs; NULL in all other threads. */
extern __thread void *current_cpu;
int64_t icount_get_raw(void); /* instructions; with current_cpu NULL as of the last update */
int64_t icount_get(void);     /* the virtual clock, in ns: the same, scaled, and idle periods */

#endif
