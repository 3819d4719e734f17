#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint/random_state.h"
#include "checkpoint/safetensors.h"

// Checkpoints of a training run, from which it resumes as if it had not been stopped:
//
//   save_checkpoint("run.safetensors", {{"model", model.state_dict()},
//                                       {"optimizer", optimizer.state_dict()},
//                                       {"scheduler", scheduler.state_dict()},
//                                       {"rng", rng_state()}});
//
//   const Checkpoint checkpoint = load_checkpoint("run.safetensors");
//   model.load_state_dict(checkpoint.at("model"));
//   …
//   load_rng_state(checkpoint.at("rng"));
//
// Optimizers and schedules store their step count. The run resumes bit for bit if it gets the same batches (a
// random loader has a state_dict(), too) and its operations are deterministic (device/deterministic.h).

namespace lectern {

/// The named parts of a run.
class Checkpoint {
 public:
  using Part = std::pair<std::string, StateDict>;

  /// A TensorError for duplicate names, and for names that are empty or contain a dot.
  Checkpoint(std::vector<Part> parts);
  Checkpoint(std::initializer_list<Part> parts) : Checkpoint(std::vector<Part>(parts)) {}

  const std::vector<Part>& parts() const { return parts_; }
  /// A TensorError that lists the parts, when this one is missing.
  const StateDict& at(std::string_view name) const;
  bool contains(std::string_view name) const { return find(name) != nullptr; }

 private:
  const StateDict* find(std::string_view name) const;

  std::vector<Part> parts_;
};

/// Writes a safetensors file in which the tensor `weight` of the part `model` is `model.weight`; replaces the
/// file atomically. Errors as save_file's.
void save_checkpoint(const std::filesystem::path& file, const Checkpoint& checkpoint);

/// Errors as load_file's; an Error for a tensor that belongs to no part.
Checkpoint load_checkpoint(const std::filesystem::path& file, Device device = cpu);

}  // namespace lectern
