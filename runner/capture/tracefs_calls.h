/* SPDX-License-Identifier: GPL-2.0-or-later */

/* What is used of libtracefs, for C++. Its own header, of version 1.6.4, is no valid C++ (an
 * int where an enumeration is wanted); only tracefs_calls.c includes it. Each function is the
 * one of libtracefs without the prefix; a null instance is the top of tracefs. */

#pragma once

#ifdef __cplusplus
extern "C" {
#endif

struct tracefs_instance;

const char* rtsweep_tracing_dir(void);
struct tracefs_instance* rtsweep_instance_create(const char* name);
int rtsweep_instance_is_new(struct tracefs_instance* instance);
int rtsweep_instance_destroy(struct tracefs_instance* instance);
void rtsweep_instance_free(struct tracefs_instance* instance);
/* Static memory that may not be freed; null for the top. */
const char* rtsweep_instance_name(struct tracefs_instance* instance);
/* Memory of the caller's, by free(); null: errno. */
char* rtsweep_instance_dir(struct tracefs_instance* instance);
char* rtsweep_file_read(struct tracefs_instance* instance, const char* file);
/* 0, or -1 and errno. */
int rtsweep_file_write(struct tracefs_instance* instance, const char* file, const char* text);
int rtsweep_file_append(struct tracefs_instance* instance, const char* file, const char* text);
/* The last message in error_log; memory of the caller's, or null. */
char* rtsweep_error_last(struct tracefs_instance* instance);

#ifdef __cplusplus
}
#endif
