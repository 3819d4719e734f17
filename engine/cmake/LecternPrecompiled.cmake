# Precompiled headers: what nearly all sources of a kind include, which saves most of them a third of their compile time. Every
# file still includes what it uses. Not used with a compiler cache, which needs to see what a source reads.
#
#   stack     the rooms of the tensor stack, with OpenMP
#   tools     the rooms of traces and pages
#   tests     test programs
#   lectures  the lectures of this repository
#
# lectern_precompiled(TARGET stack) makes a target use them.
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

# Compile options of a kind, which have to match those of its precompiled headers.
set(lectern_options_stack "${LECTERN_FUZZED}")
set(lectern_options_tools "${LECTERN_FUZZED}")
set(lectern_options_tests -fPIE ${LECTERN_TEST_OPTIONS})
set(lectern_options_lectures -fPIE ${LECTERN_LECTURE_OPTIONS})

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
    # GCC forgets that precompiled headers are system headers, and warns of huge copies in strings (its bug 105329).
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow)
  endif()
endfunction()
