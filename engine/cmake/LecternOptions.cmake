option(LECTERN_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(LECTERN_TOOLS "Build the lecture tools; without them the tensor stack alone, which needs OpenMP, fmt, JSON and OpenBLAS" ON)
option(LECTERN_LECTURES "Build the lectures of this repository" ${PROJECT_IS_TOP_LEVEL})
option(LECTERN_BENCHMARKS "Build the benchmarks" OFF)
option(LECTERN_FUZZERS "Build the libFuzzer targets (needs clang)" OFF)
set(LECTERN_CUDA AUTO CACHE STRING "Build the CUDA backend: AUTO where nvcc is found and a GPU answers, ON where nvcc is found, OFF")
set_property(CACHE LECTERN_CUDA PROPERTY STRINGS AUTO ON OFF)
option(LECTERN_SIMULATE_GPU "Simulate a GPU on the host, for tests" OFF)
set(LECTERN_CUDA_ARCHITECTURES 90 CACHE STRING "The architectures to compile CUDA code for: a list, as CMAKE_CUDA_ARCHITECTURES")
option(LECTERN_BATCHES "Compile a room's sources in batches: a clean build takes a third of the time, an edit more" OFF)
option(LECTERN_TEST_BATCHES "Compile the tests' sources in batches" ${LECTERN_BATCHES})
set(CMAKE_UNITY_BUILD_BATCH_SIZE 32)
option(LECTERN_WARNINGS_AS_ERRORS "Treat warnings as errors; off for untested compilers" ON)
set(LECTERN_SANITIZE "" CACHE STRING "Sanitizers for all targets, as for -fsanitize=: address,undefined or thread")

# Fewer of them build faster (kernels/cpu/isa.h).
set(lectern_known_instruction_sets portable)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND lectern_known_instruction_sets v3 v4)
endif()
set(LECTERN_INSTRUCTION_SETS "${lectern_known_instruction_sets}" CACHE STRING
  "The instruction sets to compile CPU kernels for, of which programs choose the best at run time: a list that has portable, or \
native, this machine's best and portable; all with tests, which compare them")
if(LECTERN_INSTRUCTION_SETS STREQUAL "native")
  set(instruction_sets portable)
  if(LECTERN_TESTS)
    # From now on: a later build without the tests need not compile the kernels again.
    set(instruction_sets ${lectern_known_instruction_sets})
    set(LECTERN_INSTRUCTION_SETS "${instruction_sets}" CACHE STRING "" FORCE)
  elseif("v4" IN_LIST lectern_known_instruction_sets AND EXISTS /proc/cpuinfo)
    file(STRINGS /proc/cpuinfo flags REGEX "^flags" LIMIT_COUNT 1)
    if(flags MATCHES " avx512bw " AND flags MATCHES " avx512vl ")
      list(APPEND instruction_sets v4)
    elseif(flags MATCHES " avx2 ")
      list(APPEND instruction_sets v3)
    endif()
  endif()
  set(LECTERN_INSTRUCTION_SETS "${instruction_sets}")
endif()
foreach(isa IN LISTS LECTERN_INSTRUCTION_SETS)
  if(NOT isa IN_LIST lectern_known_instruction_sets)
    message(FATAL_ERROR "LECTERN_INSTRUCTION_SETS: `${isa}` is not one of this platform's: ${lectern_known_instruction_sets}")
  endif()
endforeach()
if(NOT "portable" IN_LIST LECTERN_INSTRUCTION_SETS)
  message(FATAL_ERROR "LECTERN_INSTRUCTION_SETS is `${LECTERN_INSTRUCTION_SETS}`; add `portable`, which runs on every processor")
endif()

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

find_program(LECTERN_CCACHE ccache)
if(LECTERN_CCACHE)
  foreach(language C CXX CUDA)
    set(CMAKE_${language}_COMPILER_LAUNCHER ${LECTERN_CCACHE} CACHE STRING "The compiler's launcher")
  endforeach()
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # GCC tidies its own memory less often: a tenth of the time, for half as much memory again.
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-expand=300>)
endif()

add_library(lectern_warnings INTERFACE)
set(LECTERN_WARNINGS $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion>)
if(LECTERN_WARNINGS_AS_ERRORS)
  list(APPEND LECTERN_WARNINGS $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 warns of overlapping copies in `"text" + string`, where there are none (its bug 105651).
  list(APPEND LECTERN_WARNINGS $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  list(APPEND LECTERN_WARNINGS $<$<COMPILE_LANGUAGE:CXX>:-Wno-pass-failed>) # a loop that stays scalar is not a mistake
endif()
target_compile_options(lectern_warnings INTERFACE "${LECTERN_WARNINGS}")

# For code that need not be fast (commands, what tests share): compiles in a third less time than with -O3.
set(LECTERN_LIGHTLY_OPTIMISED $<$<CONFIG:Release>:-O1>)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  list(APPEND LECTERN_LIGHTLY_OPTIMISED $<$<CONFIG:Release>:-Wno-maybe-uninitialized>) # has false positives at -O1
endif()

# For the tests' own code, which takes longer to optimise than to run.
set(LECTERN_TEST_OPTIONS -O0)

if(LECTERN_SANITIZE)
  add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:-fsanitize=${LECTERN_SANITIZE};-fno-sanitize-recover=all;-fno-omit-frame-pointer>")
  add_link_options(-fsanitize=${LECTERN_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    add_compile_options(-Wno-maybe-uninitialized) # has false positives in sanitized std::function
  endif()
endif()
if(LECTERN_FUZZERS)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
    message(FATAL_ERROR "LECTERN_FUZZERS needs clang: libFuzzer is part of it. Use the preset `asan`.")
  endif()
  # Coverage for the fuzzers, on the code that they exercise; elsewhere it would only cost time.
  set(LECTERN_FUZZED $<$<COMPILE_LANGUAGE:C,CXX>:-fsanitize=fuzzer-no-link>)
endif()

# One room of the engine: lectern_room(trace LINK … PRECOMPILED tools) makes the library lectern_trace, static unless
# BUILD_SHARED_LIBS is on. SOURCES are all .cpp files of the folder unless they are listed. LINK is what its headers need,
# PRIVATE_LINK what only its own sources do, PRIVATE_INCLUDE a library of headers that users of the room need not have, PRECOMPILED the kind of its precompiled headers.
function(lectern_room name)
  cmake_parse_arguments(ROOM "" "PRECOMPILED" "SOURCES;LINK;PRIVATE_LINK;PRIVATE_INCLUDE" ${ARGN})
  if(NOT ROOM_SOURCES)
    file(GLOB ROOM_SOURCES CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} *.cpp)
  endif()
  add_library(lectern_${name} ${ROOM_SOURCES})
  add_library(lectern::${name} ALIAS lectern_${name})
  set_target_properties(lectern_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(lectern_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/engine> $<INSTALL_INTERFACE:include/lectern>)
  target_link_libraries(lectern_${name} PUBLIC ${ROOM_LINK} PRIVATE ${ROOM_PRIVATE_LINK})
  target_include_directories(lectern_${name} SYSTEM PRIVATE ${ROOM_PRIVATE_INCLUDE})
  target_compile_options(lectern_${name} PRIVATE "${LECTERN_WARNINGS}" "${LECTERN_FUZZED}")
  target_compile_features(lectern_${name} PUBLIC cxx_std_20)
  set_target_properties(lectern_${name} PROPERTIES UNITY_BUILD ${LECTERN_BATCHES})
  if(ROOM_PRECOMPILED)
    lectern_precompiled(lectern_${name} ${ROOM_PRECOMPILED})
  endif()
endfunction()
