# Lists what engine/dependencies.txt names and this system lacks, before a search stops at the first of it.
function(lectern_list_missing_packages)
  set(needed author build)
  if(LECTERN_TESTS)
    list(APPEND needed test)
  endif()
  file(STRINGS ${PROJECT_SOURCE_DIR}/engine/dependencies.txt lines REGEX "^[a-z]")
  set(packages)
  foreach(line IN LISTS lines)
    string(REGEX MATCH "^([^ ]+) +([^ ]+) +([^ ]+) +([^ ]+) +(.+)$" line "${line}")
    string(REPLACE "|" ";" what ${CMAKE_MATCH_3})
    set(kind ${CMAKE_MATCH_2})
    set(package ${CMAKE_MATCH_4})
    string(REPLACE "," ";" whose ${CMAKE_MATCH_1})
    list(GET whose 0 whose)
    if(NOT whose IN_LIST needed)
      continue()
    endif()
    unset(found)
    if(kind STREQUAL "command")
      find_program(found NAMES ${what} PATHS /usr/games NO_CACHE)
    elseif(kind STREQUAL "header")
      find_path(found ${what} NO_CACHE)
    else()
      file(GLOB found ${what})
    endif()
    if(NOT found)
      list(APPEND packages ${package})
    endif()
  endforeach()
  if(packages)
    list(JOIN packages " " packages)
    message(NOTICE "Missing Debian packages: ${packages}; `./lectern` installs them")
  endif()
endfunction()
if(LECTERN_TOOLS) # a bundle of sources brings its own
  lectern_list_missing_packages()
endif()
configure_file(${PROJECT_SOURCE_DIR}/engine/dependencies.txt ${CMAKE_BINARY_DIR}/share/lectern/dependencies.txt COPYONLY)

# For the tensor stack.
find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(fmt REQUIRED)
# OpenBLAS in its OpenMP build, by path: the system's default libopenblas may have a thread pool of its own, which would compete
# with OpenMP's.
find_library(OPENBLAS_LIBRARY NAMES libopenblas.so.0 openblas NO_DEFAULT_PATH REQUIRED
  PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-openmp /usr/lib64/openblas-openmp /usr/lib/openblas-openmp)
find_path(OPENBLAS_INCLUDE cblas.h NO_DEFAULT_PATH REQUIRED
  PATHS /usr/include/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-openmp /usr/include/openblas-openmp)
# Only the headers: programs load the library at run time.
find_path(ONEDNN_INCLUDE oneapi/dnnl/dnnl.h REQUIRED)
# Several processes (engine/distributed), where it is found.
find_path(GLOO_INCLUDE gloo/rendezvous/context.h)
find_library(GLOO_LIBRARY gloo)
if(LECTERN_TESTS)
  find_package(GTest REQUIRED)
else()
  find_package(GTest QUIET) # a bundle of sources contains it
endif()

if(NOT LECTERN_TOOLS)
  return()
endif()

# For the lecture tools.
find_package(PkgConfig REQUIRED)
find_package(CLI11 REQUIRED)
pkg_check_modules(tree_sitter REQUIRED IMPORTED_TARGET tree-sitter)
pkg_check_modules(cmark_gfm REQUIRED IMPORTED_TARGET libcmark-gfm)
pkg_check_modules(simdjson REQUIRED IMPORTED_TARGET simdjson)
pkg_check_modules(httplib REQUIRED IMPORTED_TARGET cpp-httplib)
pkg_check_modules(libcrypto REQUIRED IMPORTED_TARGET libcrypto)
pkg_check_modules(libzstd REQUIRED IMPORTED_TARGET libzstd)
find_library(CMARK_GFM_EXTENSIONS cmark-gfm-extensions REQUIRED)
find_path(DUKTAPE_INCLUDE duktape.h REQUIRED)
find_library(DUKTAPE_LIBRARY duktape REQUIRED)
find_path(VALIJSON_INCLUDE valijson/validator.hpp REQUIRED)
find_path(TOMLPLUSPLUS_INCLUDE toml++/toml.h REQUIRED)
find_path(MUSTACHE_INCLUDE NAMES kainjow/mustache.hpp mustache.hpp REQUIRED)
find_file(KATEX_JS katex.min.js PATHS /usr/share/javascript/katex /usr/share/nodejs/katex/dist REQUIRED)
find_program(NODE node REQUIRED)
find_program(BIBLE bible PATHS /usr/games)
find_program(CHROMIUM NAMES chromium-headless-shell chromium chromium-browser google-chrome)

# tree-sitter grammars, as C sources from npm.
set(LECTERN_NODE_MODULES ${PROJECT_SOURCE_DIR}/site_templates/node_modules CACHE PATH "The folder of the npm packages")
add_library(lectern_grammars STATIC)
foreach(grammar IN ITEMS tree-sitter-cpp tree-sitter-cuda tree-sitter-python)
  if(NOT EXISTS ${LECTERN_NODE_MODULES}/${grammar}/src/parser.c)
    message(FATAL_ERROR "The npm packages are not installed: run `npm ci` in site_templates, or build with ./lectern.")
  endif()
  # Each includes "tree_sitter/parser.h" from beside itself.
  target_sources(lectern_grammars PRIVATE ${LECTERN_NODE_MODULES}/${grammar}/src/parser.c
                                          ${LECTERN_NODE_MODULES}/${grammar}/src/scanner.c)
  if(LECTERN_SANITIZE) # generated tables, which take a minute to compile with checks
    set_source_files_properties(${LECTERN_NODE_MODULES}/${grammar}/src/parser.c PROPERTIES COMPILE_OPTIONS -fno-sanitize=all)
  endif()
endforeach()
target_compile_options(lectern_grammars PRIVATE -w -O1 "${LECTERN_FUZZED}")
if(LECTERN_SANITIZE)
  target_compile_options(lectern_grammars PRIVATE -fno-sanitize=undefined) # memcpy of 0 bytes from a null pointer
endif()
