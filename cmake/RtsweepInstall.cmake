# cmake --install: the program, its guests, the kernels and plans that it can name.
install(TARGETS rtsweep RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
foreach(arch IN LISTS RTSWEEP_GUESTS)
  install(PROGRAMS ${RTSWEEP_GUEST_DIR}/${arch}/rtsweep-guest
          DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/rtsweep/guest/${arch})
  if(RTSWEEP_RT_TESTS_SOURCE)
    install(PROGRAMS ${RTSWEEP_GUEST_DIR}/${arch}/cyclictest
            DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/rtsweep/guest/${arch})
  endif()
endforeach()
# QEMU loads it; explain --method path looks for it beside the program.
install(TARGETS rtsweep_path_plugin LIBRARY DESTINATION lib/rtsweep)
install(FILES kernel-configs/kernels.toml kernel-configs/rt-rules.toml DESTINATION ${CMAKE_INSTALL_DATADIR}/rtsweep)
# The source of a kernel module; selftest --causes builds it for each kernel.
install(DIRECTORY runner/selftest/inject DESTINATION ${CMAKE_INSTALL_DATADIR}/rtsweep)
install(DIRECTORY plans DESTINATION ${CMAKE_INSTALL_DATADIR}/rtsweep)
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
