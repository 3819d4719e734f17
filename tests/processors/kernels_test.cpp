// That programs compute with the kernels that the environment asks for, so that the tests under each choice
// (CMakeLists.txt) test that choice.
#include <cstdlib>
#include <string>

#include <cblas.h>
#include <gtest/gtest.h>
#include <oneapi/dnnl/dnnl.h>

#include "base/error.h"
#include "base/shared_library.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/onednn.h"

namespace lectern::kernels {
namespace {

/// nullptr where the variable is not set.
const char* asked_of(const char* variable) {
  return std::getenv(variable);
}

TEST(Kernels, OfOpenBlasAreThoseAskedFor) {
  const char* const asked = asked_of("OPENBLAS_CORETYPE");
  if (asked == nullptr) GTEST_SKIP() << "OPENBLAS_CORETYPE is not set";
  EXPECT_STREQ(openblas_get_corename(), asked);
}

TEST(Kernels, OfOneDnnAreThoseAskedFor) {
  const char* const asked = asked_of("ONEDNN_MAX_CPU_ISA");
  if (asked == nullptr) GTEST_SKIP() << "ONEDNN_MAX_CPU_ISA is not set";
  const std::pair<const char*, dnnl_cpu_isa_t> all[] = {{"SSE41", dnnl_cpu_isa_sse41},
                                                        {"AVX2", dnnl_cpu_isa_avx2},
                                                        {"AVX512_CORE", dnnl_cpu_isa_avx512_core},
                                                        {"AVX512_CORE_BF16", dnnl_cpu_isa_avx512_core_bf16}};
  decltype(&dnnl_get_effective_cpu_isa) effective = nullptr;
  try {
    SharedLibrary({"libdnnl.so." + std::to_string(DNNL_VERSION_MAJOR)})
        .find(effective, "dnnl_get_effective_cpu_isa");
  } catch (const Error& error) {
    GTEST_SKIP() << error.what();
  }
  for (const auto& [name, isa] : all) {
    if (std::string(asked) == name) {
      EXPECT_EQ(effective(), isa);
      EXPECT_EQ(onednn_multiplies_bfloat16(),
                isa >= dnnl_cpu_isa_avx512_core && lectern::kernels::isa() == Isa::v4);
      return;
    }
  }
  FAIL() << "unknown: " << asked;
}

TEST(Kernels, OfLecternAreThoseAskedFor) {
  const char* const asked = asked_of("LECTERN_CPU");
  if (asked == nullptr) GTEST_SKIP() << "LECTERN_CPU is not set";
  const char* const names[] = {"portable", "v3", "v4"};
  EXPECT_STREQ(names[static_cast<int>(isa())], asked);
}

}  // namespace
}  // namespace lectern::kernels
