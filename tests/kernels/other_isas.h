#pragma once

#include <vector>

#include "kernels/cpu/isa.h"

namespace lectern::kernels::cpu {

/// What to compare with the portable kernels: the other instruction sets that are compiled and that this
/// processor has. Tests that find none skip.
inline std::vector<Isa> other_isas() {
  std::vector<Isa> found;
  for (const Isa isa : {Isa::v3, Isa::v4}) {
    if (has_isa(isa)) found.push_back(isa);
  }
  return found;
}

/// The same and the portable ones.
inline std::vector<Isa> all_isas() {
  std::vector<Isa> all = other_isas();
  all.push_back(Isa::portable);
  return all;
}

}  // namespace lectern::kernels::cpu

#define LECTERN_SKIP_WITHOUT_OTHER_ISAS()          \
  if (lectern::kernels::cpu::other_isas().empty()) \
  GTEST_SKIP() << "only the portable kernels are compiled, or this processor has no other instruction set"
