# The package for other projects: find_package(lectern), then lectern_add_lecture(name file.cpp). The build tree has it too, for
# lectures from outside the repository.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/lectern)
set(rooms base device tensor autograd ops compile nn optim amp checkpoint data accounting trace record calculator lecture)
set(libraries lectern_base lectern_device lectern_kernels lectern_tensor lectern_autograd lectern_ops lectern_compile lectern_nn lectern_optim lectern_amp lectern_checkpoint lectern_data lectern_accounting lectern_trace_model lectern_record lectern_lecture)

if(TARGET lectern_distributed)
  list(APPEND rooms distributed)
  list(APPEND libraries lectern_distributed)
endif()

install(TARGETS ${libraries} lectern EXPORT lecternTargets)
add_custom_target(installed DEPENDS ${libraries} lectern site-assets) # what `cmake --install` copies
install(EXPORT lecternTargets NAMESPACE lectern:: DESTINATION ${package})
export(EXPORT lecternTargets NAMESPACE lectern:: FILE ${CMAKE_BINARY_DIR}/lecternTargets.cmake)

# A lecture includes <lectern/lecture.h>; the rooms' own includes ("record/probe.h") are relative to include/lectern.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/engine/lecture/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
list(TRANSFORM rooms PREPEND ${PROJECT_SOURCE_DIR}/engine/)
install(DIRECTORY ${rooms} ${PROJECT_SOURCE_DIR}/kernels
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/lectern
  FILES_MATCHING PATTERN *.h PATTERN include EXCLUDE)
install(DIRECTORY ${LECTERN_SITE_TEMPLATES} DESTINATION share/lectern)
install(FILES ${LECTERN_SITE_STAMP} ${PROJECT_SOURCE_DIR}/engine/dependencies.txt DESTINATION share/lectern)
# For `lectern --version`.
install(CODE "
  execute_process(COMMAND git -C \"${PROJECT_SOURCE_DIR}\" rev-parse --short=12 HEAD
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  file(WRITE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share/lectern/commit\" \"\${commit}\")")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/lectures/starters DESTINATION share/lectern FILES_MATCHING PATTERN *.cpp)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

configure_file(${CMAKE_CURRENT_LIST_DIR}/lecternConfig.cmake.in ${CMAKE_BINARY_DIR}/lecternConfig.cmake @ONLY)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/lecternConfigVersion.cmake COMPATIBILITY SameMinorVersion)
configure_file(${CMAKE_CURRENT_LIST_DIR}/LecternLecture.cmake ${CMAKE_BINARY_DIR}/LecternLecture.cmake COPYONLY)
install(FILES
  ${CMAKE_BINARY_DIR}/lecternConfig.cmake ${CMAKE_BINARY_DIR}/lecternConfigVersion.cmake
  ${CMAKE_CURRENT_LIST_DIR}/LecternLecture.cmake
  DESTINATION ${package})
