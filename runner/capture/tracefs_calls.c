// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/capture/tracefs_calls.h"

#include <stddef.h>
#include <tracefs.h>

const char* rtsweep_tracing_dir(void) { return tracefs_tracing_dir(); }

struct tracefs_instance* rtsweep_instance_create(const char* name) {
  return tracefs_instance_create(name);
}

int rtsweep_instance_is_new(struct tracefs_instance* instance) {
  return tracefs_instance_is_new(instance);
}

int rtsweep_instance_destroy(struct tracefs_instance* instance) {
  return tracefs_instance_destroy(instance);
}

void rtsweep_instance_free(struct tracefs_instance* instance) { tracefs_instance_free(instance); }

const char* rtsweep_instance_name(struct tracefs_instance* instance) {
  return tracefs_instance_get_name(instance);
}

char* rtsweep_instance_dir(struct tracefs_instance* instance) {
  return tracefs_instance_get_dir(instance);
}

char* rtsweep_file_read(struct tracefs_instance* instance, const char* file) {
  return tracefs_instance_file_read(instance, file, NULL);
}

int rtsweep_file_write(struct tracefs_instance* instance, const char* file, const char* text) {
  return tracefs_instance_file_write(instance, file, text) < 0 ? -1 : 0;
}

int rtsweep_file_append(struct tracefs_instance* instance, const char* file, const char* text) {
  return tracefs_instance_file_append(instance, file, text) < 0 ? -1 : 0;
}

char* rtsweep_error_last(struct tracefs_instance* instance) { return tracefs_error_last(instance); }
