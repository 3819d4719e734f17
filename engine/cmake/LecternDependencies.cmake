# Of the tensor stack.
find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(fmt REQUIRED)
# OpenBLAS built with OpenMP, by its own path: what the system calls libopenblas may be a build with threads of its own,
# which would fight with ours.
find_library(OPENBLAS_LIBRARY NAMES libopenblas.so.0 openblas NO_DEFAULT_PATH REQUIRED
  PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-openmp /usr/lib64/openblas-openmp /usr/lib/openblas-openmp)
find_path(OPENBLAS_INCLUDE cblas.h NO_DEFAULT_PATH REQUIRED
  PATHS /usr/include/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-openmp /usr/include/openblas-openmp)
# Looked for when a program runs; here what it declares.
find_path(ONEDNN_INCLUDE oneapi/dnnl/dnnl.h REQUIRED)
if(LECTERN_TESTS)
  find_package(GTest REQUIRED)
else()
  find_package(GTest QUIET) # a bundle of sources brings it along
endif()

if(NOT LECTERN_TOOLS)
  return()
endif()

# Of what traces lectures and makes pages.
find_package(PkgConfig REQUIRED)
find_package(CLI11 REQUIRED)
pkg_check_modules(tree_sitter REQUIRED IMPORTED_TARGET tree-sitter)
pkg_check_modules(cmark_gfm REQUIRED IMPORTED_TARGET libcmark-gfm)
pkg_check_modules(simdjson REQUIRED IMPORTED_TARGET simdjson)
pkg_check_modules(httplib REQUIRED IMPORTED_TARGET cpp-httplib)
find_library(CMARK_GFM_EXTENSIONS cmark-gfm-extensions REQUIRED)
find_path(DUKTAPE_INCLUDE duktape.h REQUIRED)
find_library(DUKTAPE_LIBRARY duktape REQUIRED)
find_path(MUSTACHE_INCLUDE NAMES kainjow/mustache.hpp mustache.hpp REQUIRED)
find_file(KATEX_JS katex.min.js PATHS /usr/share/javascript/katex /usr/share/nodejs/katex/dist REQUIRED)
find_program(NODE node REQUIRED)
find_program(BIBLE bible PATHS /usr/games)
find_program(CHROMIUM NAMES chromium chromium-browser google-chrome)

# Grammars of tree-sitter, as C sources from npm.
set(LECTERN_NODE_MODULES ${PROJECT_SOURCE_DIR}/site_templates/node_modules CACHE PATH "Where npm ci put the packages")
add_library(lectern_grammars STATIC)
foreach(grammar IN ITEMS tree-sitter-cpp tree-sitter-cuda tree-sitter-python)
  if(NOT EXISTS ${LECTERN_NODE_MODULES}/${grammar}/src/parser.c)
    message(FATAL_ERROR "The npm packages are not there: run `npm ci` in site_templates, or build through ./lectern.")
  endif()
  # Each includes "tree_sitter/parser.h" from beside itself.
  target_sources(lectern_grammars PRIVATE ${LECTERN_NODE_MODULES}/${grammar}/src/parser.c
                                          ${LECTERN_NODE_MODULES}/${grammar}/src/scanner.c)
endforeach()
target_compile_options(lectern_grammars PRIVATE -w -O1 "${LECTERN_FUZZED}")
if(LECTERN_SANITIZE)
  target_compile_options(lectern_grammars PRIVATE -fno-sanitize=undefined) # memcpy of nothing from nowhere
endif()
