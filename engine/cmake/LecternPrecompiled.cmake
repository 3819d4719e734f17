# Headers that nearly every source of a kind includes, parsed once: a third of the time to compile most of them. Every file
# still names what it uses; with a compiler cache, which wants to know what a source reads, they are not used.
#
#   stack     the tensors' rooms, with OpenMP
#   tools     the rooms of traces and pages
#   tests     programs of tests
#   lectures  the lectures of this repository
#
# lectern_precompiled(TARGET stack) gives a target those headers.
if(LECTERN_CCACHE)
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
endif()

set(lectern_standard_headers
  <algorithm> <array> <cmath> <cstdint> <cstdlib> <cstring> <functional> <limits> <map> <memory> <optional> <span> <string>
  <string_view> <type_traits> <utility> <vector>)
set(lectern_headers_stack ${lectern_standard_headers})
set(lectern_headers_tools ${lectern_standard_headers} <filesystem> <fstream> <set> <unordered_map> <fmt/format.h>
  <nlohmann/json.hpp>)
set(lectern_headers_lectures <lectern/lecture.h>)
set(lectern_headers_tests ${lectern_headers_tools} <gtest/gtest.h>)

set(lectern_links_stack OpenMP::OpenMP_CXX)
set(lectern_links_tools fmt::fmt nlohmann_json::nlohmann_json)
set(lectern_links_lectures lectern::lecture)
set(lectern_links_tests OpenMP::OpenMP_CXX ${lectern_links_tools} GTest::gtest)

# What the sources of a kind are compiled with, which the compiler wants to be the same.
set(lectern_options_stack "${LECTERN_FUZZED}")
set(lectern_options_tools "${LECTERN_FUZZED}")
set(lectern_options_tests -fPIE ${LECTERN_TEST_OPTIONS})
set(lectern_options_lectures -fPIE -O1 -g)

function(lectern_precompiled target kind)
  set(owner lectern_headers_of_${kind})
  if(NOT TARGET ${owner})
    set(source ${CMAKE_BINARY_DIR}/${owner}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "")
    add_library(${owner} OBJECT ${source})
    target_link_libraries(${owner} PRIVATE lectern_warnings ${lectern_links_${kind}})
    target_compile_features(${owner} PUBLIC cxx_std_20)
    target_precompile_headers(${owner} PRIVATE ${lectern_headers_${kind}})
    target_compile_options(${owner} PRIVATE ${lectern_options_${kind}})
    if(kind MATCHES "tests|lectures") # programs
      set_target_properties(${owner} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    endif()
  endif()
  target_link_libraries(${target} PRIVATE ${lectern_links_${kind}})
  target_precompile_headers(${target} REUSE_FROM ${owner})
  if(NOT CMAKE_DISABLE_PRECOMPILE_HEADERS AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # GCC loses that precompiled headers are the system's, and sees endless copies in strings (its bug 105329).
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow)
  endif()
endfunction()
