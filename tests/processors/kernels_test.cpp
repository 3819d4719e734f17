// That programs compute with the kernels that the environment asks for: so the tests under each choice of
// them (CMakeLists.txt) test that choice. Other values than theirs are none of this test's.
#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include <cblas.h>
#include <gtest/gtest.h>
#include <oneapi/dnnl/dnnl.h>

#include "base/error.h"
#include "base/shared_library.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/onednn.h"

namespace lectern::kernels::cpu {
namespace {

/// The value of the variable, if it is one of these.
std::optional<std::string_view> asked(const char* variable, std::initializer_list<std::string_view> known) {
  const char* const value = std::getenv(variable);
  if (value == nullptr || std::find(known.begin(), known.end(), value) == known.end()) return {};
  return value;
}

TEST(Kernels, OfOpenBlasAreThoseAskedFor) {
  const auto core = asked("OPENBLAS_CORETYPE", {"Prescott", "Haswell", "Zen", "SkylakeX"});
  if (!core) GTEST_SKIP() << "OPENBLAS_CORETYPE asks for none that is known here";
  EXPECT_EQ(openblas_get_corename(), *core);
}

TEST(Kernels, OfOneDnnAreThoseAskedFor) {
  const auto name = asked("ONEDNN_MAX_CPU_ISA", {"SSE41", "AVX2", "AVX512_CORE", "AVX512_CORE_BF16"});
  if (!name) GTEST_SKIP() << "ONEDNN_MAX_CPU_ISA asks for none that is known here";
  decltype(&dnnl_get_effective_cpu_isa) effective = nullptr;
  try {
    const SharedLibrary library({"libdnnl.so." + std::to_string(DNNL_VERSION_MAJOR)});
    library.find(effective, "dnnl_get_effective_cpu_isa");
  } catch (const Error& error) {
    GTEST_SKIP() << error.what();
  }
  const dnnl_cpu_isa_t wanted = *name == "SSE41"         ? dnnl_cpu_isa_sse41
                                : *name == "AVX2"        ? dnnl_cpu_isa_avx2
                                : *name == "AVX512_CORE" ? dnnl_cpu_isa_avx512_core
                                                         : dnnl_cpu_isa_avx512_core_bf16;
  EXPECT_EQ(effective(), wanted);
  EXPECT_EQ(onednn_multiplies_bfloat16(), name->starts_with("AVX512") && isa() == Isa::v4);
}

TEST(Kernels, OfLecternAreThoseAskedFor) {
  const auto name = asked("LECTERN_CPU", {"portable", "v3", "v4"});
  if (!name) GTEST_SKIP() << "LECTERN_CPU asks for none that is known here";
  const Isa wanted = *name == "portable" ? Isa::portable : *name == "v3" ? Isa::v3 : Isa::v4;
  if (!has_isa(wanted)) GTEST_SKIP() << "it is not compiled, or this processor does not have it";
  EXPECT_EQ(isa(), wanted);
}

}  // namespace
}  // namespace lectern::kernels::cpu
