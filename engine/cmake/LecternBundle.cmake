# What `./lectern bundle` collects: the target `bundle`, and bundle.txt in the build folder with a line for each thing,
# KIND PATH. Only where there is a CUDA compiler, and tests, benchmarks and lectures are built.
set(manifest ${CMAKE_BINARY_DIR}/bundle.txt)
file(REMOVE ${manifest})
if(NOT LECTERN_HAS_CUDA OR LECTERN_SIMULATE_GPU OR NOT LECTERN_TESTS OR NOT LECTERN_BENCHMARKS OR NOT LECTERN_LECTURES)
  return()
endif()

get_property(tests GLOBAL PROPERTY LECTERN_TESTS_gpu)
get_property(lectures DIRECTORY ${PROJECT_SOURCE_DIR}/lectures PROPERTY BUILDSYSTEM_TARGETS)
list(FILTER lectures INCLUDE REGEX "^lecture-")
list(REMOVE_ITEM lectures lecture-texts)

set(lines)
foreach(kind IN ITEMS test lecture)
  foreach(program IN LISTS ${kind}s)
    string(APPEND lines "${kind} $<TARGET_FILE:${program}>\n")
  endforeach()
endforeach()
string(APPEND lines "program $<TARGET_FILE:lectern>\nprogram $<TARGET_FILE:tensor_bench>\n")
string(APPEND lines "texts ${LECTERN_DATA_DIR}\narchitectures ${LECTERN_CUDA_ARCHITECTURES}\n")
file(GENERATE OUTPUT ${manifest} CONTENT "${lines}")
add_custom_target(bundle DEPENDS ${tests} ${lectures} lectern tensor_bench lecture-texts)
