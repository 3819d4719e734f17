#include <string>
#include <vector>

#include "base/error.h"
#include "base/shared_library.h"
#include "device/cudnn.h"
#include "device/toolkit_libraries.h"

namespace lectern::cuda {

static_assert(CUDNN_MAJOR == 9, "cuDNN 9");

Cudnn load_cudnn(const std::vector<std::string>& candidates) {
  const SharedLibrary library(candidates);
  Cudnn found{};
#define LECTERN_FUNCTION(name) library.find(found.name, "cudnn" #name);
  LECTERN_CUDNN_FUNCTIONS(LECTERN_FUNCTION)
#undef LECTERN_FUNCTION
  return found;
}

const Cudnn* cudnn() {
  static const Cudnn* const loaded = []() -> const Cudnn* {
    try {
      return new Cudnn(load_cudnn(toolkit_libraries({"libcudnn.so.9"})));
    } catch (const Error&) {
      return nullptr;
    }
  }();
  return loaded;
}

}  // namespace lectern::cuda
