#include "cli/reserved_names.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "base/characters.h"
#include "cli/compiler_line.h"

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
    {"distributed", "namespace for several processes"},
    {"einops", "namespace for dimensions with names"},
    {"fusion", "namespace for compiled functions"},
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

/// Whether `line` has `name`, and not as the beginning of a longer one.
bool has_name(std::string_view line, std::string_view name) {
  const auto at = line.find(name);
  return at != std::string_view::npos &&
         (at + name.size() == line.size() || !is_word(line[at + name.size()]));
}

/// Whether a note tells that a name is Lectern's. GCC names an alias without its namespace, before what it
/// stands for.
bool is_ours(std::string_view note, const std::string& name) {
  const bool alias = has(note, fmt::format("using {} = ", name));
  const bool lectern = has(note, "lectern::") || has(note.substr(0, note.find(kNoteMark)), "/lectern/");
  return has_name(note, "lectern::" + name) || (alias && lectern);
}

/// The first identifier in a compiler's message that is in quotes of any kind.
std::string_view quoted_identifier(std::string_view message) {
  for (const std::string_view quote : {"\u2018", "'", "`", "\""}) {
    const auto at = message.find(quote);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = message.substr(at + quote.size());
    return {rest.begin(), std::find_if_not(rest.begin(), rest.end(), is_word)};
  }
  return {};
}

std::string make_remedy(std::string_view place, std::string_view name, std::string_view meaning) {
  return fmt::format("lectern: {}: `{}` is also Lectern's{}; give yours another name, or write ::{} for it",
                     place, name, meaning, name);
}

}  // namespace

std::string AmbiguousNames::remedy(std::string_view line) {
  const auto at = line.find(kErrorMark);
  if (at == std::string_view::npos) {
    if (name_.empty() || !is_ours(line, name_)) return {};
    return make_remedy(place_, std::exchange(name_, {}), "");
  }
  name_.clear();
  const std::string_view message = line.substr(at + kErrorMark.size());
  if (!has(message, "ambiguous")) return {};
  const std::string_view name = quoted_identifier(message);
  const auto* const reserved = std::ranges::find(kReserved, name, &ReservedName::name);
  if (reserved != std::end(kReserved))
    return make_remedy(line.substr(0, at), name, fmt::format(" {}", reserved->meaning));
  if (message.starts_with("reference to ")) place_ = line.substr(0, at), name_ = name;
  return {};
}

}  // namespace lectern::cli
