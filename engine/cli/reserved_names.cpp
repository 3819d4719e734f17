#include "cli/reserved_names.h"

#include <algorithm>
#include <cctype>

#include <fmt/core.h>

namespace lectern::cli {
namespace {

struct ReservedName {
  std::string_view name, meaning;
};

/// What lectures use, then what Lectern needs itself.
constexpr ReservedName kReserved[] = {
    {"amp", "namespace for mixed precision"},
    {"autograd", "namespace for gradients"},
    {"cpu", "name of the CPU as a device"},
    {"cuda", "namespace for GPUs"},
    {"einops", "namespace for dimensions with names"},
    {"nn", "namespace for modules"},
    {"optim", "namespace for optimizers"},
    {"Tensor", "class of tensors"},
    {"Device", "class of devices"},
    {"Dtype", "class of dtypes"},
    {"Generator", "class of random generators"},
    {"Index", "class of indices"},
    {"Scalar", "class of scalars"},
    {"Sizes", "class of shapes"},
    {"Slice", "class of slices"},
    {"Storage", "class of storages"},
    {"Style", "class of a figure's looks"},
    {"Reference", "class of cited works"},
    {"ellipsis", "name of an index"},
    {"none", "name of an index"},
    {"aggregates", "namespace for values"},
    {"claims", "namespace for assert"},
    {"enumerators", "namespace for values"},
    {"kernels", "namespace for kernels"},
    {"probe", "namespace for stepping"},
    {"record", "namespace for recording"},
    {"trace_model", "namespace for traces"},
    {"values", "namespace for values"},
};

/// The first identifier in a compiler's message that is in quotes of any kind.
std::string_view quoted_identifier(std::string_view message) {
  const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (const std::string_view quote : {"\u2018", "'", "`", "\""}) {
    const auto at = message.find(quote);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = message.substr(at + quote.size());
    return {rest.begin(), std::find_if_not(rest.begin(), rest.end(), is_letter)};
  }
  return {};
}

}  // namespace

std::string ambiguous_name_remedy(std::string_view line) {
  constexpr std::string_view kError = ": error: ";
  const auto at = line.find(kError);
  if (at == std::string_view::npos || line.find("ambiguous", at) == std::string_view::npos) return {};
  const std::string_view name = quoted_identifier(line.substr(at + kError.size()));
  const auto* const reserved = std::ranges::find(kReserved, name, &ReservedName::name);
  if (reserved == std::end(kReserved)) return {};
  return fmt::format("lectern: {}: `{}` is also Lectern's {}; give yours another name, or write ::{} for it",
                     line.substr(0, at), name, reserved->meaning, name);
}

}  // namespace lectern::cli
