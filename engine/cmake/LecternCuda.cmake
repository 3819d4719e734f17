# Finds nvcc, off the PATH too, and sets the language up. LECTERN_HAS_CUDA says whether there is a CUDA backend: with nvcc,
# or, with LECTERN_SIMULATE_GPU, one whose kernels run on the host.
set(LECTERN_HAS_CUDA OFF)
if(LECTERN_SIMULATE_GPU)
  find_package(CUDAToolkit)
  if(CUDAToolkit_FOUND)
    set(LECTERN_HAS_CUDA ON)
  else()
    message(WARNING "LECTERN_SIMULATE_GPU needs the headers of the CUDA toolkit: building without CUDA.")
  endif()
elseif(LECTERN_CUDA)
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
      # CMake 3.25 does not know that nvcc has C++20.
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
      find_package(CUDAToolkit REQUIRED)
      set(LECTERN_HAS_CUDA ON)
    else()
      message(WARNING "${LECTERN_NVCC} does not compile with ${CMAKE_CXX_COMPILER}: building without CUDA.")
    endif()
  endif()
endif()
