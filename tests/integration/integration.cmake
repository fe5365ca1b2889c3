# Runs of the built program in real VMs. They fetch kernels from Debian's archive into
# the user's cache; virtual time makes their numbers independent of this machine.
add_executable(vm_test integration/vm/measure_test.cpp integration/vm/failure_test.cpp
  integration/vm/selftest_test.cpp integration/vm/capture_test.cpp integration/vm/probes_test.cpp
  integration/vm/path_test.cpp)
target_link_libraries(vm_test PRIVATE rtsweep::base GTest::gmock_main)
target_compile_definitions(vm_test PRIVATE
  RTSWEEP_SOURCE_DIR="${PROJECT_SOURCE_DIR}" RTSWEEP_PROGRAM="$<TARGET_FILE:rtsweep>")
add_dependencies(vm_test rtsweep guests)
gtest_discover_tests(vm_test PROPERTIES LABELS integration TIMEOUT 1500 PROCESSORS 2)
