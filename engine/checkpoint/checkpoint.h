#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint/random_state.h"
#include "checkpoint/safetensors.h"

// A training run in a file, so that it can go on as if it had not been stopped:
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
// Optimizers and schedules hold the number of their step. Bit for bit the run goes on when it is given the
// same batches: a loader of random ones has a state_dict(), too.

namespace lectern {

/// The parts of a run by their names.
class Checkpoint {
 public:
  using Part = std::pair<std::string, StateDict>;

  /// A TensorError when two have one name, or one has none or a name with a dot.
  Checkpoint(std::vector<Part> parts);
  Checkpoint(std::initializer_list<Part> parts) : Checkpoint(std::vector<Part>(parts)) {}

  const std::vector<Part>& parts() const { return parts_; }
  /// A TensorError that says which parts there are, when this is none of them.
  const StateDict& at(std::string_view name) const;
  bool contains(std::string_view name) const { return find(name) != nullptr; }

 private:
  const StateDict* find(std::string_view name) const;

  std::vector<Part> parts_;
};

/// Writes a safetensors file in which the tensor `weight` of the part `model` is `model.weight`; replaces the
/// file as one step. Errors as save_file's.
void save_checkpoint(const std::filesystem::path& file, const Checkpoint& checkpoint);

/// Errors as load_file's; an Error for a file with a tensor that belongs to no part.
Checkpoint load_checkpoint(const std::filesystem::path& file, Device device = cpu);

}  // namespace lectern
