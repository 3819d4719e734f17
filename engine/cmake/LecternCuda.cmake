# Finds nvcc, even if it is not on the PATH, and enables CUDA. LECTERN_HAS_CUDA says whether there is a CUDA backend: compiled by
# nvcc or, with LECTERN_SIMULATE_GPU, run on the host. Compiling the kernels takes minutes, so it is not done without a GPU
# unless asked for.
#
# LECTERN_GPU_BACKEND is empty, or a target that takes the place of CUDA: its objects define what device/cuda_driver.h and
# device/cublas.h and kernels/cuda/runtime_program.h declare, in place of CUDA's runtime, cuBLAS and NVRTC, and
# LECTERN_LAUNCH_HEADER, which it defines, is what kernels/cuda/launch.h includes.
set(LECTERN_HAS_CUDA OFF)
set(LECTERN_GPU_BACKEND)
# A program has one CUDA runtime, so that it sees the errors of all launches.
set(LECTERN_CUDA_RUNTIME CUDA::cudart_static)
if(BUILD_SHARED_LIBS)
  set(LECTERN_CUDA_RUNTIME CUDA::cudart)
  set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)
endif()
set(LECTERN_COMPILES_CUDA ${LECTERN_CUDA})
if(LECTERN_CUDA STREQUAL "AUTO")
  lectern_gpu_answers(LECTERN_COMPILES_CUDA)
endif()
if(LECTERN_SIMULATE_GPU)
  find_package(CUDAToolkit)
  if(CUDAToolkit_FOUND)
    set(LECTERN_HAS_CUDA ON)
    set(LECTERN_GPU_BACKEND lectern_simulated_gpu)
  else()
    message(WARNING "LECTERN_SIMULATE_GPU needs the headers of the CUDA toolkit: building without CUDA.")
  endif()
elseif(LECTERN_COMPILES_CUDA)
  file(GLOB cuda_homes LIST_DIRECTORIES true /usr/local/cuda-* /opt/cuda-*)
  list(SORT cuda_homes COMPARE NATURAL ORDER DESCENDING)
  find_program(LECTERN_NVCC nvcc
    HINTS ENV CUDACXX ENV CUDA_PATH ENV CUDA_HOME
    PATHS /usr/local/cuda /opt/cuda ${cuda_homes}
    PATH_SUFFIXES bin)
  if(LECTERN_NVCC)
    set(CMAKE_CUDA_COMPILER ${LECTERN_NVCC})
    set(CMAKE_CUDA_ARCHITECTURES ${LECTERN_CUDA_ARCHITECTURES})
    include(CheckLanguage)
    check_language(CUDA)
    if(CMAKE_CUDA_COMPILER)
      enable_language(CUDA)
      # CMake 3.25 does not know that nvcc supports C++20.
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
      find_package(CUDAToolkit REQUIRED)
      set(LECTERN_HAS_CUDA ON)
    else()
      message(WARNING "${LECTERN_NVCC} does not compile with ${CMAKE_CXX_COMPILER}: building without CUDA.")
    endif()
  endif()
endif()

# The headers that kernels compiled at run time include, as a source file for lectern_runtime_headers(OUT.cpp).
function(lectern_runtime_headers out)
  set(embed ${PROJECT_SOURCE_DIR}/engine/cmake/EmbedHeaders.cmake)
  file(GLOB headers CONFIGURE_DEPENDS
    ${PROJECT_SOURCE_DIR}/kernels/*.h ${PROJECT_SOURCE_DIR}/kernels/cuda/*.h ${PROJECT_SOURCE_DIR}/engine/base/*.h)
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -DOUT=${out} -P ${embed}
    DEPENDS ${headers} ${embed} VERBATIM)
endfunction()

# cuDNN is loaded at run time; its headers, of which any version 9 serves, come with it, not with the toolkit.
set(LECTERN_HAS_CUDNN OFF)
if(LECTERN_HAS_CUDA AND NOT LECTERN_GPU_BACKEND)
  find_path(LECTERN_CUDNN_INCLUDE cudnn_graph.h
    HINTS ENV CUDNN_HOME ENV CUDNN_PATH ${CUDAToolkit_INCLUDE_DIRS} PATH_SUFFIXES include)
  if(LECTERN_CUDNN_INCLUDE)
    set(LECTERN_HAS_CUDNN ON)
  endif()
endif()

# The outcome and its reason, for the summary and for `lectern doctor`.
if(LECTERN_HAS_CUDA AND LECTERN_SIMULATE_GPU)
  set(state "compiled for the host, one thread after the other (LECTERN_SIMULATE_GPU)")
elseif(LECTERN_HAS_CUDA AND LECTERN_CUDA STREQUAL "AUTO")
  set(state "compiled for architecture ${LECTERN_CUDA_ARCHITECTURES}, since a GPU answers")
elseif(LECTERN_HAS_CUDA)
  set(state "compiled for architecture ${LECTERN_CUDA_ARCHITECTURES}, as asked for")
elseif(LECTERN_COMPILES_CUDA)
  set(state "left out: nvcc was not found; install the CUDA toolkit, or set CUDA_HOME to its folder")
elseif(LECTERN_CUDA STREQUAL "AUTO")
  set(state "left out: no GPU answers; `./lectern build --cuda` compiles them all the same")
else()
  set(state "left out, as asked for; `./lectern build --cuda` compiles them")
endif()
if(LECTERN_HAS_CUDNN)
  string(APPEND state ", with cuDNN where it is found")
elseif(LECTERN_HAS_CUDA AND NOT LECTERN_GPU_BACKEND)
  string(APPEND state ", without cuDNN: its headers are neither with the toolkit nor in CUDNN_HOME")
endif()
set(LECTERN_CUDA_STATE "${state}" CACHE INTERNAL "Whether the CUDA kernels are compiled, and why")
