#include "kernels/cpu/onednn_library.h"

#include <optional>
#include <string>

#include "base/error.h"
#include "base/shared_library.h"

namespace lectern::kernels::cpu {
namespace {

std::optional<OneDnn> load_onednn() {
  try {
    const SharedLibrary library({"libdnnl.so." + std::to_string(DNNL_VERSION_MAJOR)});
    OneDnn found{};
#define LECTERN_FIND(function) library.find(found.function, "dnnl_" #function);
    LECTERN_ONEDNN_FUNCTIONS(LECTERN_FIND)
#undef LECTERN_FIND
    if (found.engine_create(&found.engine, dnnl_cpu, 0) != dnnl_success) return {};
    return found;
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

const OneDnn* onednn_library() {
  static const std::optional<OneDnn> found = load_onednn();
  return found ? &*found : nullptr;
}

}  // namespace lectern::kernels::cpu
