#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint/sharded_checkpoint.h"
#include "distributed/process_group.h"
#include "nn/module.h"

// Checkpoints that all ranks write together, each what it has, and that any number of ranks, or one process,
// reads (checkpoint/sharded_checkpoint.h):
//
//   distributed::save_sharded("run", {{"model", fsdp.sharded_state_dict()},
//                                     {"optimizer", fsdp.optimizer_state_dict(optimizer)}});
//
//   const ShardedCheckpoint checkpoint("run");
//   distributed::load_sharded(checkpoint, "model", fsdp.sharded_state_dict());
//   fsdp.load_optimizer_state_dict(optimizer, checkpoint);

namespace lectern::distributed {

/// What this rank has of a module's state_dict(), in which a DividedModule's parameters are parts of
/// whole ones. `prefix` precedes the names: "blocks.3." where a pipeline's stage has its own
/// numbers.
ShardedStateDict sharded_state_dict(const nn::Module& module, const std::string& prefix = "");

/// Writes the parts of all ranks of the group, which call it together, into a folder that they share: shards
/// that several ranks have alike are written by the first of them. Each rank writes one safetensors file, of
/// a name of this save alone; when all are complete, the first rank replaces the index, and removes the
/// files of the save before. Whatever interrupts it, the folder holds the old checkpoint or the new one.
///
/// It moves the index, not tensors. A TensorError, on all ranks, when their shapes of a tensor differ, or
/// their shards are not all of it; an Error on all ranks when one can't write.
void save_sharded(const std::filesystem::path& folder,
                  const std::vector<std::pair<std::string, ShardedStateDict>>& parts,
                  const Group& group = nullptr);

/// Loads a part of the checkpoint into these shards, in place: each rank reads what it needs, one whole
/// tensor at a time; nothing moves. A TensorError for a tensor that is missing there, or has another shape.
void load_sharded(const ShardedCheckpoint& checkpoint, const std::string& part,
                  const ShardedStateDict& shards);

}  // namespace lectern::distributed
