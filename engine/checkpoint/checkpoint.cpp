#include "checkpoint/checkpoint.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "base/tensor_error.h"

namespace lectern {
namespace {

/// The metadata key that lists the parts, since a part may have no tensors.
constexpr const char* kParts = "parts";

}  // namespace

Checkpoint::Checkpoint(std::vector<Part> parts) : parts_(std::move(parts)) {
  std::set<std::string_view> names;
  for (const auto& [name, state] : parts_) {
    if (name.empty() || name.find('.') != std::string::npos)
      throw TensorError("checkpoint", "the name of a part", "without a dot, and not empty", '"' + name + '"');
    if (!names.insert(name).second) throw TensorError("checkpoint", "there are two parts named " + name);
  }
}

const StateDict* Checkpoint::find(std::string_view name) const {
  const auto found = std::ranges::find(parts_, name, &Part::first);
  return found == parts_.end() ? nullptr : &found->second;
}

const StateDict& Checkpoint::at(std::string_view name) const {
  if (const StateDict* part = find(name)) return *part;
  std::string names;
  for (const auto& [known, state] : parts_) names.append(names.empty() ? "" : ", ").append(known);
  throw TensorError("checkpoint", "there is no part named " + std::string(name) + "; there are: " + names);
}

void save_checkpoint(const std::filesystem::path& file, const Checkpoint& checkpoint) {
  StateDict all;
  std::string names;
  for (const auto& [part, state] : checkpoint.parts()) {
    names.append(names.empty() ? "" : ".").append(part);
    for (const auto& [name, tensor] : state) all.insert(std::string(part).append(".").append(name), tensor);
  }
  save_file(all, file, {{"format", "pt"}, {kParts, names}});
}

Checkpoint load_checkpoint(const std::filesystem::path& file, Device device) {
  const SafetensorsFile source(file);
  std::vector<Checkpoint::Part> parts;
  std::map<std::string, std::size_t> places;
  const auto find_part = [&](std::string_view name) -> StateDict& {
    const auto [place, is_new] = places.try_emplace(std::string(name), parts.size());
    if (is_new) parts.emplace_back(name, StateDict());
    return parts[place->second].second;
  };
  if (const auto known = source.metadata().find(kParts); known != source.metadata().end()) {
    for (std::string_view rest = known->second; !rest.empty();) {
      const std::size_t dot = std::min(rest.find('.'), rest.size());
      if (dot == 0) throw Error(Place{file.string()}, "it is not a checkpoint: it has a part without a name");
      find_part(rest.substr(0, dot));
      rest.remove_prefix(std::min(dot + 1, rest.size()));
    }
  }
  for (const SafetensorsEntry& entry : source.entries()) {
    const std::size_t dot = entry.name.find('.');
    if (dot == 0 || dot == std::string::npos) {
      throw Error(Place{file.string()}, "it is not a checkpoint: the tensor " + entry.name +
                                            " belongs to no part; read it with load_file");
    }
    find_part(std::string_view(entry.name).substr(0, dot))
        .insert(entry.name.substr(dot + 1), source.get_tensor(entry, device));
  }
  return Checkpoint(std::move(parts));
}

}  // namespace lectern
