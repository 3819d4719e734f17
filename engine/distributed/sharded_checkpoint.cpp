#include "distributed/sharded_checkpoint.h"

#include <algorithm>
#include <charconv>
#include <set>

#include <fmt/format.h>

#include "autograd/grad_mode.h"
#include "base/error.h"
#include "base/files.h"
#include "base/tensor_error.h"
#include "checkpoint/safetensors.h"
#include "distributed/collectives.h"
#include "distributed/divided_module.h"
#include "distributed/objects.h"
#include "ops/elementwise.h"
#include "tensor/creation.h"

namespace lectern::distributed {
namespace {

constexpr const char* kSave = "save_sharded";

/// Counted by the index, so that each save has files of its own.
std::int64_t next_save(const std::filesystem::path& folder, const Group& group) {
  const Tensor number = zeros({1}, {.dtype = int64, .device = cpu});
  if (get_rank(group) == 0) {
    std::int64_t last = 0;
    try {
      last = ShardedCheckpoint(folder).index().save;
    } catch (const Error&) {  // there is none yet, or none that could be read
    }
    number.fill_(last + 1);
  }
  broadcast(number, get_global_rank(group, 0), {.group = group});
  return number.item<std::int64_t>();
}

/// Each rank's index as one, in which the first of those that have a shard alike writes it.
ShardedIndex merged(const std::vector<std::string>& texts) {
  ShardedIndex all;
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    const ShardedIndex own = parse_sharded_index(texts[rank], fmt::format("of rank {}", rank));
    all.save = own.save;
    for (const auto& [name, tensor] : own.tensors) {
      const auto [place, is_new] = all.tensors.try_emplace(name, IndexedTensor{tensor.shape, {}});
      IndexedTensor& known = place->second;
      if (known.shape != tensor.shape)
        throw TensorError(kSave, fmt::format("the ranks disagree on the shape of {}, {} and {}", name,
                                             to_string(known.shape), to_string(tensor.shape)));
      for (const IndexedShard& shard : tensor.shards) {
        const bool is_known = std::ranges::any_of(known.shards, [&](const IndexedShard& other) {
          return other.shape == shard.shape && other.offsets == shard.offsets;
        });
        if (!is_known) known.shards.push_back(shard);
      }
    }
  }
  return all;
}

/// A TensorError for a tensor of which the ranks do not have all elements: once saved, it could not be
/// loaded.
void check_complete(const ShardedIndex& index) {
  for (const auto& [name, tensor] : index.tensors) {
    const std::int64_t expected = checked_numel(kSave, tensor.shape);
    std::int64_t elements = 0;
    for (const IndexedShard& shard : tensor.shards) elements += checked_numel(kSave, shard.shape);
    if (elements != expected)
      throw TensorError(kSave, fmt::format("the elements of {} that the ranks of the group have", name),
                        fmt::format("{}, of shape {}", expected, to_string(tensor.shape)),
                        std::to_string(elements));
  }
}

/// work() on this rank; where it throws on any, an Error on all.
template <typename Work>
void together(const Group& group, const Work& work) {
  std::string problem;
  try {
    work();
  } catch (const std::exception& thrown) {
    problem = thrown.what();
  }
  const auto problems = all_gather_object(problem, group);
  for (std::size_t rank = 0; rank < problems.size(); ++rank) {
    if (!problems[rank].empty()) throw Error(fmt::format("{} (rank {})", problems[rank], rank));
  }
}

std::string shard_file(int rank, int ranks, std::int64_t save) {
  return fmt::format("{:05}-of-{:05}.{}.safetensors", rank, ranks, save);
}

/// Whether shard_file() gives such a name.
bool is_shard_file(std::string_view name) {
  int rank = 0, ranks = 0;
  std::int64_t save = 0;
  const auto skip = [&](std::string_view text) {
    if (!name.starts_with(text)) return false;
    name.remove_prefix(text.size());
    return true;
  };
  const auto take = [&](auto& number) {
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    name.remove_prefix(static_cast<std::size_t>(end - name.data()));
    return error == std::errc();
  };
  const std::string_view given = name;
  return take(rank) && skip("-of-") && take(ranks) && skip(".") && take(save) &&
         given == shard_file(rank, ranks, save);
}

/// Of earlier saves, also of those that were interrupted.
void remove_older(const std::filesystem::path& folder, const ShardedIndex& index) {
  std::set<std::string> wanted;
  for (const auto& [name, tensor] : index.tensors) {
    for (const IndexedShard& shard : tensor.shards) wanted.insert(shard.file);
  }
  for (const std::filesystem::path& file : files_below(folder)) {
    if (is_shard_file(file.string()) && !wanted.contains(file.string())) remove_tree(folder / file);
  }
}

}  // namespace

ShardedStateDict sharded_state_dict(const nn::Module& module, const std::string& prefix) {
  const auto modules = module.named_modules();
  ShardedStateDict shards;
  for (const auto& [name, tensor] : module.state_dict()) {
    Shard shard = whole(tensor);
    const std::size_t dot = name.rfind('.');
    const std::string owner = dot == std::string::npos ? "" : name.substr(0, dot);
    const auto found = std::ranges::find(modules, owner, &std::pair<std::string, const nn::Module*>::first);
    const auto* const parallel =
        found == modules.end() ? nullptr : dynamic_cast<const DividedModule*>(found->second);
    if (parallel != nullptr) {
      if (const auto dim = parallel->divided_dim(std::string_view(name).substr(dot + 1))) {
        const auto d = static_cast<std::size_t>(*dim);
        shard.shape[d] = tensor.size(*dim) * get_world_size(parallel->group());
        shard.offsets[d] = tensor.size(*dim) * get_rank(parallel->group());
      }
    }
    shards.emplace_back(prefix + name, std::move(shard));
  }
  return shards;
}

void save_sharded(const std::filesystem::path& folder,
                  const std::vector<std::pair<std::string, ShardedStateDict>>& parts, const Group& group) {
  ShardedIndex own{next_save(folder, group), {}};
  const std::string file = shard_file(get_rank(group), get_world_size(group), own.save);
  std::vector<std::pair<std::string, Tensor>> tensors;
  for (const auto& [part, shards] : parts) {
    if (part.empty() || part.find('.') != std::string::npos)
      throw TensorError(kSave, "the name of a part", "without a dot, and not empty", '"' + part + '"');
    for (const auto& [name, shard] : shards) {
      std::string full = std::string(part).append(".").append(name);
      own.tensors[full] = {shard.shape, {{file, shard.local.sizes(), shard.offsets}}};
      tensors.emplace_back(std::move(full), shard.local);
    }
  }
  const ShardedIndex index = merged(all_gather_object(to_json(own), group));
  check_complete(index);
  StateDict written;
  for (const auto& [name, tensor] : tensors) {
    const auto& shards = index.tensors.at(name).shards;
    if (std::ranges::find(shards, file, &IndexedShard::file) != shards.end()) written.insert(name, tensor);
  }
  together(group, [&] { save_file(written, folder / file, {{"format", "pt"}}); });
  together(group, [&] {
    if (get_rank(group) != 0) return;
    write_file(sharded_index_file(folder), to_json(index));
    remove_older(folder, index);
  });
}

void load_sharded(const ShardedCheckpoint& checkpoint, const std::string& part,
                  const ShardedStateDict& shards) {
  const NoGradGuard no_grad;
  const auto full_name = [&](const std::string& name) { return std::string(part).append(".").append(name); };
  for (const auto& [name, shard] : shards) {
    const auto found = checkpoint.index().tensors.find(full_name(name));
    if (found == checkpoint.index().tensors.end())
      throw TensorError("load_sharded",
                        fmt::format("the checkpoint has no tensor named {}", full_name(name)));
    if (found->second.shape != shard.shape)
      throw TensorError("load_sharded", fmt::format("the shape of {} in the checkpoint", full_name(name)),
                        to_string(shard.shape), to_string(found->second.shape));
  }
  for (const auto& [name, shard] : shards) {
    const Tensor all = checkpoint.get_tensor(full_name(name));
    shard.local.copy_(part_of(all, shard.local.sizes(), shard.offsets));
  }
}

}  // namespace lectern::distributed
