# Toolchain of a guest build: -DGUEST_ARCH=arm64 -DGUEST_SYSROOT=DIR. The sysroot has the
# headers and static libraries that the guest's program needs beyond the C++ runtime.
set(CMAKE_SYSTEM_NAME Linux)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES GUEST_ARCH GUEST_SYSROOT)

set(triplet_amd64 x86_64-linux-gnu)
set(triplet_i386 i686-linux-gnu)
set(triplet_arm64 aarch64-linux-gnu)
set(triplet_armhf arm-linux-gnueabihf)
set(CMAKE_C_COMPILER ${triplet_${GUEST_ARCH}}-gcc)
set(CMAKE_CXX_COMPILER ${triplet_${GUEST_ARCH}}-g++)

set(CMAKE_FIND_ROOT_PATH ${GUEST_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_CXX_STANDARD_INCLUDE_DIRECTORIES ${GUEST_SYSROOT}/include)
