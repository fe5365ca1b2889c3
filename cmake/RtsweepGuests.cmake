# rtsweep-guest for each architecture in RTSWEEP_GUESTS: this same project, cross-built
# with RTSWEEP_GUEST_ONLY, in a build tree of its own.
include(ExternalProject)
set(RTSWEEP_GUEST_DIR ${PROJECT_BINARY_DIR}/libexec/guest)

# Part of the command, so that a changed script makes a new sysroot.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/guest-sysroot)
file(MD5 ${CMAKE_CURRENT_LIST_DIR}/guest-sysroot RTSWEEP_SYSROOT_VERSION)

foreach(arch IN LISTS RTSWEEP_GUESTS)
  set(sysroot ${PROJECT_BINARY_DIR}/guest/${arch}/sysroot)
  ExternalProject_Add(rtsweep_guest_${arch}
    SOURCE_DIR ${PROJECT_SOURCE_DIR}
    PREFIX ${PROJECT_BINARY_DIR}/guest/${arch}
    BINARY_DIR ${PROJECT_BINARY_DIR}/guest/${arch}/build
    DOWNLOAD_COMMAND ${PROJECT_SOURCE_DIR}/cmake/guest-sysroot ${arch} ${sysroot}
      ${RTSWEEP_SYSROOT_VERSION}
    CMAKE_ARGS
      -DCMAKE_TOOLCHAIN_FILE=${PROJECT_SOURCE_DIR}/cmake/toolchains/guest.cmake
      -DGUEST_ARCH=${arch} -DGUEST_SYSROOT=${sysroot}
      -DRTSWEEP_GUEST_ONLY=ON -DRTSWEEP_WERROR=${RTSWEEP_WERROR}
      # Never a debug build: its instructions would be part of what is measured.
      -DCMAKE_BUILD_TYPE=Release
    BUILD_ALWAYS ON
    INSTALL_COMMAND ${CMAKE_COMMAND} -E copy_if_different
      <BINARY_DIR>/runner/guest/rtsweep-guest ${RTSWEEP_GUEST_DIR}/${arch}/rtsweep-guest
    USES_TERMINAL_BUILD OFF)
endforeach()

# cyclictest of the rt-tests tree that the user names, for every guest.
if(RTSWEEP_RT_TESTS_SOURCE)
  foreach(arch IN LISTS RTSWEEP_GUESTS)
    add_custom_target(rtsweep_cyclictest_${arch}
      COMMAND ${PROJECT_SOURCE_DIR}/cmake/build-cyclictest ${arch} ${RTSWEEP_RT_TESTS_SOURCE}
        ${PROJECT_BINARY_DIR}/guest/${arch}/sysroot ${PROJECT_BINARY_DIR}/guest/${arch}/rt-tests
        ${RTSWEEP_GUEST_DIR}/${arch}/cyclictest
      VERBATIM)
    add_dependencies(rtsweep_cyclictest_${arch} rtsweep_guest_${arch})
  endforeach()
endif()

# All of them: cmake --build ... --target guests
add_custom_target(guests)
foreach(arch IN LISTS RTSWEEP_GUESTS)
  add_dependencies(guests rtsweep_guest_${arch})
  if(RTSWEEP_RT_TESTS_SOURCE)
    add_dependencies(guests rtsweep_cyclictest_${arch})
  endif()
endforeach()
