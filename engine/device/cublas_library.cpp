#include <string>
#include <vector>

#include "base/shared_library.h"
#include "base/tensor_error.h"
#include "device/cublas.h"
#include "device/toolkit_libraries.h"

namespace lectern::cuda {
namespace {

/// Declared by hand in Cublas, since these have overloads: a mismatch with the toolkit's header does not
/// compile.
using DeclaredGemmEx = decltype(static_cast<decltype(Cublas::GemmEx)>(&::cublasGemmEx));
using DeclaredStridedEx =
    decltype(static_cast<decltype(Cublas::GemmStridedBatchedEx)>(&::cublasGemmStridedBatchedEx));

/// The major version of the build first.
std::vector<std::string> candidates() {
  static_assert(CUBLAS_VER_MAJOR >= 12, "cuBLAS 12 or later");
  std::vector<std::string> names{"libcublas.so." + std::to_string(CUBLAS_VER_MAJOR)};
  for (const char* other : {"libcublas.so.13", "libcublas.so.12"}) {
    if (other != names.front()) names.emplace_back(other);
  }
  return toolkit_libraries(names);
}

/// libcublasLt.so.13 for libcublas.so.13, in the same folder.
std::string beside(std::string name) {
  return name.insert(name.rfind(".so"), "Lt");
}

CublasLt load_cublas_lt(const std::string& name) {
  const SharedLibrary library({name});
  CublasLt found{};
#define LECTERN_FUNCTION(name) library.find(found.name, "cublasLt" #name);
  LECTERN_CUBLASLT_FUNCTIONS(LECTERN_FUNCTION)
#undef LECTERN_FUNCTION
  return found;
}

}  // namespace

Cublas load_cublas(const std::vector<std::string>& candidates) {
  try {
    const SharedLibrary library(candidates);
    Cublas found{};
    library.find(found.Create, "cublasCreate_v2");
    library.find(found.GetVersion, "cublasGetVersion_v2");
    library.find(found.GetStatusString, "cublasGetStatusString");
    library.find(found.SetStream, "cublasSetStream_v2");
    library.find(found.SetWorkspace, "cublasSetWorkspace_v2");
    library.find(found.SetMathMode, "cublasSetMathMode");
    library.find(found.GemmEx, "cublasGemmEx");
    library.find(found.GemmStridedBatchedEx, "cublasGemmStridedBatchedEx");
    found.lt = load_cublas_lt(beside(library.name()));
    return found;
  } catch (const Error& error) {
    throw TensorError(
        "cuBLAS",
        "matrix products on the GPU need the library libcublas of CUDA 12 or 13, which cannot be loaded; "
        "install the CUDA toolkit (of NVIDIA's packages libcublas is enough), or add the folder that has "
        "it to LD_LIBRARY_PATH (" +
            std::string(error.what()) + ")");
  }
}

const Cublas& cublas() {
  static const Cublas loaded = load_cublas(candidates());
  return loaded;
}

}  // namespace lectern::cuda
