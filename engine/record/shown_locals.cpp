#include "record/shown_locals.h"

#include <algorithm>
#include <cstddef>

#include "base/fnv.h"

namespace lectern::probe {

/// Those of frames that a jump left, or that have ended, are dropped.
ShownLocals::Activation& ShownLocals::activation(Frame& frame) {
  if (frame.locals_ < 0) frame.locals_ = static_cast<int>(activations_.size());
  activations_.resize(static_cast<std::size_t>(frame.locals_) + 1);
  return activations_.back();
}

/// Null for a frame that has shown nothing.
ShownLocals::Activation* ShownLocals::find(const Frame& frame) {
  const auto number = static_cast<std::size_t>(frame.locals_);
  return frame.locals_ >= 0 && number < activations_.size() ? &activations_[number] : nullptr;
}

bool ShownLocals::note(Frame& frame, std::string_view name, std::string_view json, SiteRange scope) {
  std::vector<Shown>& shown = activation(frame).shown;
  const std::uint64_t value = fnv1a_64(json);
  const auto known = std::find_if(shown.begin(), shown.end(), [&](const Shown& each) {
    return each.scope.first == scope.first && each.name == name;
  });
  if (known == shown.end()) {
    shown.push_back({std::string(name), scope, value});
    return true;
  }
  return std::exchange(known->value, value) != value;
}

void ShownLocals::add_argument(Frame& frame, std::string_view name, std::string_view json) {
  note(frame, name, json, {});
  activation(frame).arguments.emplace_back(name, json);
}

void ShownLocals::begin_statement(const Frame& frame, int site) {
  if (Activation* const own = find(frame))
    std::erase_if(own->shown, [&](const Shown& each) { return !each.scope.contains(site); });
}

ShownLocals::Values ShownLocals::take_arguments(const Frame& frame) {
  Activation* const own = find(frame);
  return own == nullptr ? Values() : std::exchange(own->arguments, {});
}

void ShownLocals::leave(const Frame& frame) {
  if (find(frame) != nullptr) activations_.resize(static_cast<std::size_t>(frame.locals_));
}

}  // namespace lectern::probe
