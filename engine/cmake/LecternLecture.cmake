# lectern_add_lecture(NAME FILE.cpp [MORE.cpp …] [INSPECT_ALL] [SANITIZE] [DATA FILE…] [CALCULATORS HEADER…]
#                     [TIMEOUT SECONDS] [BATCH COUNT])
#
# Builds the page of a C++ program; each step is redone only when its inputs have changed:
#   instrument   NAME.traced/FILE.cpp, the lecture with probes between its statements; the headers beside it too
#   compile      the program lecture-NAME
#   run          LECTERN_TRACE_DIR/LECTERN_PROFILE/NAME.json, the trace
#   render       LECTERN_SITE_DIR/NAME/index.html, the page
#   verdict      fails if the run did: a claim that does not hold, an exception, a crash; the page shows how far it came
#
# It runs again when a file changes that it shows (images, videos, starters), one in NAME/ beside it, or one that DATA names: files
# that it reads elsewhere. One that cites runs again when the file of references does, or another one is to be read: named by
# site.toml, or put beside the lecture.
# CALCULATORS names headers that readers run on the page (lectern/calculator.h), each compiled to WebAssembly.
# BATCH compiles so many of the lecture's files together, in less time; no two of them may then define the same name.
# SANITIZE compiles the lecture's own files with AddressSanitizer and UndefinedBehaviorSanitizer: what they find is the last step.
#
# Targets: lecture-NAME the program, trace-NAME, rendered-NAME the page, page-NAME the page of a run that ended well. All pages are part of the target `lectures` and of `all`.
#
# To have them outside the build folder, set LECTERN_TRACE_DIR and LECTERN_SITE_DIR before the first call. A lecture gets
# LECTERN_DATA_DIR as the environment variable LECTERN_DATA.

set(LECTERN_TRACE_DIR ${CMAKE_BINARY_DIR}/traces CACHE PATH "The folder of the lectures' traces, with a folder per profile")
set(LECTERN_SITE_DIR ${CMAKE_BINARY_DIR}/site CACHE PATH "The folder of the lectures' pages")
set(LECTERN_SITE_SETTINGS ${CMAKE_SOURCE_DIR}/site.toml CACHE FILEPATH "What is said of the site as a whole, where the file exists")
set(LECTERN_AUTHOR_DIR ${CMAKE_SOURCE_DIR} CACHE PATH "The folder from which messages name the files of lectures")
# Compiled quickly, and with assertions in any build type.
set(LECTERN_LECTURE_OPTIONS -Og -UNDEBUG CACHE STRING "Compile options of lectures")
set(LECTERN_DATA_DIR ${CMAKE_BINARY_DIR}/data CACHE PATH "The folder of texts that are not in the repository")

# Whether this machine has a GPU and its driver answers.
function(lectern_gpu_answers result)
  execute_process(COMMAND nvidia-smi -L OUTPUT_VARIABLE gpus ERROR_QUIET RESULT_VARIABLE status)
  if(gpus MATCHES "GPU 0")
    set(${result} ON PARENT_SCOPE)
  else()
    set(${result} OFF PARENT_SCOPE)
  endif()
endfunction()

# Lectures show other things on a GPU, so those traces are a profile of their own.
if(NOT DEFINED LECTERN_PROFILE)
  lectern_gpu_answers(has_gpu)
  set(profile cpu)
  if(has_gpu)
    set(profile cuda)
  endif()
  set(LECTERN_PROFILE ${profile} CACHE STRING "The profile of recorded traces: cpu, or cuda where there is a GPU")
endif()

# Whether a lecture may have this name, which targets, files and a folder of the site bear.
function(lectern_is_lecture_name name result)
  string(LENGTH "${name}" length)
  if(name MATCHES "^[A-Za-z0-9][A-Za-z0-9_-]*$" AND length LESS_EQUAL 100 AND NOT name MATCHES "^(assets|series|categories|tags|report)$")
    set(${result} TRUE PARENT_SCOPE)
  else()
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()

# The compiler of calculators: clang with the libraries of wasm32-wasi.
function(lectern_find_wasm_compiler)
  if(LECTERN_WASM_COMPILER)
    return()
  endif()
  find_program(clang NAMES clang++ clang++-14 NO_CACHE)
  if(NOT clang)
    return()
  endif()
  set(probe ${CMAKE_BINARY_DIR}/wasm_probe.cpp)
  file(WRITE ${probe} "#include <string>\nint size(const char* text) { return static_cast<int>(std::string(text).size()); }\n")
  execute_process(COMMAND ${clang} --target=wasm32-wasi -mexec-model=reactor -fno-exceptions ${probe} -o ${probe}.wasm
    RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
  if(status EQUAL 0)
    set(LECTERN_WASM_COMPILER "${clang}" CACHE FILEPATH "Compiles calculators to WebAssembly; none: pages show one result")
  endif()
endfunction()

# Compiles the calculators of a lecture, each once for all lectures of its folder; sets their modules, which lie below
# calculators/ as the headers do below the folder.
function(lectern_add_calculators folder modules)
  set(made)
  if(ARGN)
    lectern_find_wasm_compiler()
  endif()
  set(includes $<TARGET_PROPERTY:lectern::lecture,INTERFACE_INCLUDE_DIRECTORIES>)
  foreach(header IN LISTS ARGN)
    get_filename_component(header ${header} ABSOLUTE)
    file(RELATIVE_PATH path ${folder} ${header})
    string(REGEX REPLACE "\\.[^./]*$" ".wasm" path ${path})
    set(output ${CMAKE_CURRENT_BINARY_DIR}/calculators/${path})
    if(path MATCHES "^\\.\\./")
      message(FATAL_ERROR "lectern_add_lecture: ${header} is outside the lecture's folder, ${folder}; move it there")
    elseif(LECTERN_WASM_COMPILER)
      list(APPEND made ${output})
      get_property(known GLOBAL PROPERTY lectern_modules)
      if(NOT output IN_LIST known)
        set_property(GLOBAL APPEND PROPERTY lectern_modules ${output})
        get_filename_component(output_folder ${output} DIRECTORY)
        file(MAKE_DIRECTORY ${output_folder})
        add_custom_command(OUTPUT ${output}
          COMMAND ${LECTERN_WASM_COMPILER} --target=wasm32-wasi -mexec-model=reactor -std=c++20 -O2 -fno-exceptions -fno-rtti
            -ffp-contract=off -Wno-pragma-once-outside-header -Wl,--strip-all "-I$<JOIN:${includes},;-I>" -iquote ${folder}
            -MD -MF ${output}.d -MT ${output} -x c++ ${header} -o ${output}
          DEPENDS ${header}
          DEPFILE ${output}.d
          COMMAND_EXPAND_LISTS
          COMMENT "Compiling ${path} for pages"
          VERBATIM)
      endif()
    endif()
  endforeach()
  set(${modules} "${made}" PARENT_SCOPE)
endfunction()

# A file that is not there yet cannot be an input: `stamp` is one that is written when it appears, or disappears. Sets the variable
# that `found` names to the file, where it is there.
function(lectern_find_input file stamp found)
  file(GLOB there CONFIGURE_DEPENDS "${file}")
  file(GENERATE OUTPUT ${stamp} CONTENT "${there}\n")
  set(${found} "${there}" PARENT_SCOPE)
endfunction()

function(lectern_add_lecture name)
  cmake_parse_arguments(PARSE_ARGV 1 LECTURE "INSPECT_ALL;SANITIZE" "TIMEOUT;BATCH" "DATA;CALCULATORS")
  set(files ${LECTURE_UNPARSED_ARGUMENTS})
  lectern_is_lecture_name("${name}" is_name)
  if(NOT is_name)
    message(FATAL_ERROR "lectern_add_lecture: `${name}` is not a name: use letters, digits, - and _, the first a letter or digit, at most 100, and neither `assets`, `series`, `categories`, `tags` nor `report`")
  endif()
  if(NOT files)
    message(FATAL_ERROR "lectern_add_lecture(${name}): no source file; write lectern_add_lecture(${name} ${name}.cpp)")
  endif()
  if(NOT TARGET lectures)
    add_custom_target(lectures ALL)
    # One page at a time: each rendering updates the home page.
    set_property(GLOBAL APPEND PROPERTY JOB_POOLS lectern_render=1)
    # Settings change what surrounds the text of pages, for which no lecture is rendered again.
    set(settings_stamp ${CMAKE_CURRENT_BINARY_DIR}/site.settings)
    lectern_find_input("${LECTERN_SITE_SETTINGS}" ${settings_stamp} settings)
    set(surroundings ${CMAKE_CURRENT_BINARY_DIR}/site.pages)
    add_custom_command(OUTPUT ${surroundings}
      COMMAND lectern::lectern render -o ${LECTERN_SITE_DIR} --settings ${LECTERN_SITE_SETTINGS}
      COMMAND ${CMAKE_COMMAND} -E touch ${surroundings}
      DEPENDS ${settings} ${settings_stamp} lectern::lectern ${LECTERN_SITE_STAMP}
      JOB_POOL lectern_render
      COMMENT "Updating the site"
      VERBATIM)
    add_custom_target(site-pages DEPENDS ${surroundings})
    add_dependencies(lectures site-pages)
  endif()

  list(GET files 0 main)
  get_filename_component(main ${main} ABSOLUTE)
  get_filename_component(folder ${main} DIRECTORY)
  set(inspect_all)
  if(LECTURE_INSPECT_ALL)
    set(inspect_all --inspect-all)
  endif()

  # What cannot be parsed is given to the compiler, for its words.
  set(includes $<REMOVE_DUPLICATES:$<TARGET_PROPERTY:lecture-${name},INCLUDE_DIRECTORIES>>)
  set(includes "$<$<BOOL:${includes}>:-I$<JOIN:${includes},;-I>>")
  set(traced)
  foreach(file IN LISTS files)
    get_filename_component(file ${file} ABSOLUTE)
    file(RELATIVE_PATH path ${folder} ${file})
    if(path MATCHES "^\\.\\./")
      message(FATAL_ERROR "lectern_add_lecture(${name}): ${file} is outside the lecture's folder, ${folder}; move it there")
    endif()
    set(output ${CMAKE_CURRENT_BINARY_DIR}/${name}.traced/${path})
    add_custom_command(OUTPUT ${output}
      COMMAND lectern::lectern instrument ${file} -o ${output} --folder ${folder} --depfile ${output}.d ${inspect_all}
        --compiler ${CMAKE_CXX_COMPILER} -- -std=c++20 -iquote ${folder} "${includes}"
      DEPENDS ${file} lectern::lectern
      DEPFILE ${output}.d
      COMMAND_EXPAND_LISTS
      COMMENT "Instrumenting ${path}"
      VERBATIM)
    list(APPEND traced ${output})
  endforeach()

  set(program lecture-${name})
  add_executable(${program} ${traced})
  target_link_libraries(${program} PRIVATE lectern::lecture)
  # To GCC the lines of the author are those of an included file, where it warns of members of types in unnamed namespaces.
  target_compile_options(${program} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  target_compile_options(${program} PRIVATE ${LECTERN_LECTURE_OPTIONS} "SHELL:-iquote \"${folder}\"")
  if(LECTURE_BATCH)
    set_target_properties(${program} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${LECTURE_BATCH})
  endif()
  lectern_add_calculators(${folder} modules ${LECTURE_CALCULATORS})
  set(environment LECTERN_DATA=${LECTERN_DATA_DIR} LECTERN_CALCULATORS=${CMAKE_CURRENT_BINARY_DIR}/calculators)
  if(LECTURE_SANITIZE)
    # object-size would find overflows before AddressSanitizer does, which tells more of them. Leaks are not looked for: what a
    # program keeps to its end is no mistake.
    set(sanitizers -fsanitize=address,undefined)
    target_compile_options(${program} PRIVATE -g1 ${sanitizers} -fno-sanitize-recover=all -fno-sanitize=object-size
      -fno-omit-frame-pointer)
    target_compile_definitions(${program} PRIVATE _GLIBCXX_ASSERTIONS)
    target_link_options(${program} PRIVATE ${sanitizers})
    list(APPEND environment ASAN_OPTIONS=detect_leaks=0:color=never UBSAN_OPTIONS=color=never)
  elseif(COMMAND lectern_precompiled)
    lectern_precompiled(${program} lectures)
  endif()

  # What the lecture may read from its own folder. Its sources are inputs of the program.
  file(GLOB_RECURSE own CONFIGURE_DEPENDS ${folder}/${name}/*)
  list(FILTER own EXCLUDE REGEX "\\.(h|hh|hpp|hxx|cuh|c|cc|cpp|cxx|cu|inl|ipp|tpp)$|~$|/\\.[^/]*$")
  list(APPEND LECTURE_DATA ${own})
  set(data_stamp ${CMAKE_CURRENT_BINARY_DIR}/${name}.data)
  file(GENERATE OUTPUT ${data_stamp} CONTENT "${LECTURE_DATA}\n") # changes when a file appears, or disappears

  set(references_stamp ${CMAKE_CURRENT_BINARY_DIR}/${name}.references)
  lectern_find_input("${folder}/references.bib" ${references_stamp} references)

  set(trace ${LECTERN_TRACE_DIR}/${LECTERN_PROFILE}/${name}.json)
  set(timeout)
  if(LECTURE_TIMEOUT)
    set(timeout --timeout ${LECTURE_TIMEOUT})
  endif()
  add_custom_command(OUTPUT ${trace}
    COMMAND ${CMAKE_COMMAND} -E env ${environment}
      $<TARGET_FILE:lectern::lectern> run $<TARGET_FILE:${program}> -o ${trace} --profile ${LECTERN_PROFILE}
        --from ${LECTERN_AUTHOR_DIR} --settings ${LECTERN_SITE_SETTINGS} --depfile ${CMAKE_CURRENT_BINARY_DIR}/${name}.run.d
        --references-stamp ${references_stamp} --quiet --record-failures ${timeout}
    DEPENDS ${program} lectern::lectern ${LECTURE_DATA} ${data_stamp} ${modules}
    DEPFILE ${CMAKE_CURRENT_BINARY_DIR}/${name}.run.d
    WORKING_DIRECTORY ${folder}
    COMMENT "Running ${name}"
    VERBATIM)
  add_custom_target(trace-${name} DEPENDS ${trace})

  set(page ${CMAKE_CURRENT_BINARY_DIR}/${name}.page)
  add_custom_command(OUTPUT ${page}
    COMMAND lectern::lectern render ${trace} -o ${LECTERN_SITE_DIR} --settings ${LECTERN_SITE_SETTINGS}
      --folder ${folder} --from ${LECTERN_AUTHOR_DIR}
    COMMAND ${CMAKE_COMMAND} -E touch ${page}
    DEPENDS ${trace} lectern::lectern ${LECTERN_SITE_STAMP}
    JOB_POOL lectern_render
    COMMENT "Rendering ${name}"
    VERBATIM)
  add_custom_target(rendered-${name} DEPENDS ${page})

  set(verdict ${CMAKE_CURRENT_BINARY_DIR}/${name}.verdict)
  add_custom_command(OUTPUT ${verdict}
    COMMAND lectern::lectern verdict ${trace} --folder ${folder}
    COMMAND ${CMAKE_COMMAND} -E touch ${verdict}
    DEPENDS ${page}
    COMMENT "Checking how ${name} ended"
    VERBATIM)
  add_custom_target(page-${name} DEPENDS ${verdict})
  add_dependencies(lectures page-${name})
endfunction()
