// SPDX-License-Identifier: GPL-2.0-or-later

// libtraceevent can load plugins, which a statically linked program cannot and nothing here
// asks for: these stand in for the C library's functions, which are not linked then.

extern "C" {

void* dlopen(const char* /*file*/, int /*mode*/) { return nullptr; }
void* dlsym(void* /*handle*/, const char* /*name*/) { return nullptr; }
int dlclose(void* /*handle*/) { return -1; }
char* dlerror() {
  static char text[] = "statically linked: no plugins";
  return text;
}

}  // extern "C"
