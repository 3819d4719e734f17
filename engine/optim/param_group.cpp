#include "optim/param_group.h"

#include "base/tensor_error.h"

namespace lectern::optim {
namespace {

template <typename Found>
auto& found_option(Found& options, std::string_view name) {
  const auto found = options.find(name);
  if (found != options.end()) return found->second;
  std::string known;
  for (const auto& [option, value] : options) known += (known.empty() ? "" : ", ") + option;
  throw TensorError("optimizer", "an option", "one of " + known, std::string(name));
}

}  // namespace

Option& ParamGroup::operator[](std::string_view name) {
  return found_option(options, name);
}

const Option& ParamGroup::operator[](std::string_view name) const {
  return found_option(options, name);
}

}  // namespace lectern::optim
