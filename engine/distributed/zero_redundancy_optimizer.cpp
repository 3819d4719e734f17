#include "distributed/zero_redundancy_optimizer.h"

#include <algorithm>
#include <cstring>
#include <map>

#include <fmt/format.h>

#include "autograd/grad_mode.h"
#include "base/tensor_error.h"
#include "distributed/collectives.h"
#include "distributed/flat_slice.h"
#include "distributed/reduction.h"
#include "optim/fused.h"
#include "optim/state_dict.h"
#include "optim/state_tensor.h"
#include "tensor/copy.h"
#include "tensor/creation.h"
#include "tensor/layout.h"

namespace lectern::distributed {
namespace {

constexpr const char* kOptimizer = "ZeroRedundancyOptimizer";

/// `tensor` itself if it has these strides, else a copy that has.
Tensor with_strides(const Tensor& tensor, const Sizes& strides) {
  if (tensor.strides() == strides) return tensor;
  return copied(kOptimizer, tensor, tensor.dtype(), tensor.device(), strides);
}

/// flat_slice() of a parameter or its gradient. Without dimensions it has one element, and stays as it is: so
/// do its states, as those of the whole optimizer.
Tensor piece_of(const Tensor& tensor, std::int64_t begin, std::int64_t count) {
  return tensor.dim() == 0 ? tensor.detach() : flat_slice(tensor, begin, count);
}

/// A name of a state and its tensor's form, as sent to the rank that collects them.
struct StateForm {
  char name[64] = {};
  std::int64_t dtype = 0, is_whole = 0, is_on_gpu = 0;
};

Tensor bytes_of(void* data, std::size_t count) {
  return from_blob(data, {static_cast<std::int64_t>(count)}, [] {}, {.dtype = uint8, .device = cpu});
}

}  // namespace

struct ZeroRedundancyOptimizer::Shares {
  /// A part of a parameter, and the rank of the group that updates it.
  struct Piece {
    std::size_t parameter;  ///< its number among all groups'
    std::int64_t begin, count;
    int owner;
    Tensor tensor;           ///< shares memory with the parameter
    std::size_t number = 0;  ///< of an own piece, among the local optimizer's parameters
  };

  Group group;
  std::vector<Tensor> parameters;
  std::vector<Piece> pieces;
  std::unique_ptr<optim::Optimizer> local;

  void divide(int ranks);
  optim::Params own_params(const std::vector<optim::ParamGroup>& groups, int rank);
  StateDict own_part(const StateDict& saved, int rank) const;
};

/// Pieces, by parameters, of equal shares of all elements.
void ZeroRedundancyOptimizer::Shares::divide(int ranks) {
  std::int64_t total = 0, first = 0;
  for (const Tensor& parameter : parameters) total += parameter.numel();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Tensor& parameter = parameters[i];
    if (!is_dense(parameter.sizes(), parameter.strides()))
      throw TensorError(kOptimizer, "a parameter must be dense in memory");
    for (int rank = 0; rank < ranks; ++rank) {
      const Part share = share_of(total, ranks, rank);
      const std::int64_t begin = std::max(share.begin, first) - first;
      const std::int64_t end = std::min(share.begin + share.count, first + parameter.numel()) - first;
      if (begin < end)
        pieces.push_back({i, begin, end - begin, rank, piece_of(parameter, begin, end - begin)});
    }
    first += parameter.numel();
  }
}

/// The local optimizer's groups: where this rank has no part of one, an empty tensor, so that all have the
/// same ones.
optim::Params ZeroRedundancyOptimizer::Shares::own_params(const std::vector<optim::ParamGroup>& groups,
                                                          int rank) {
  std::vector<optim::ParamGroup> own;
  std::size_t first = 0, number = 0;
  for (const optim::ParamGroup& whole : groups) {
    optim::ParamGroup mine{{}, whole.options};
    for (Piece& piece : pieces) {
      if (piece.owner != rank || piece.parameter < first || piece.parameter >= first + whole.params.size())
        continue;
      piece.tensor.requires_grad_();
      piece.number = number++;
      mine.params.push_back(piece.tensor);
    }
    if (mine.params.empty()) {
      const Device device = whole.params.empty() ? Device(cpu) : whole.params[0].device();
      mine.params.push_back(zeros({0}, {.device = device, .requires_grad = true}));
      ++number;
    }
    own.push_back(std::move(mine));
    first += whole.params.size();
  }
  return own;
}

namespace {

std::vector<Tensor> all_parameters(const optim::Params& params) {
  std::vector<Tensor> all;
  for (const optim::ParamGroup& group : params.groups())
    all.insert(all.end(), group.params.begin(), group.params.end());
  for (const Tensor& parameter : all) {
    if (!parameter.defined()) throw TensorError(kOptimizer, "a parameter is undefined");
  }
  return all;
}

/// The parameters with the options that the local optimizer has completed.
std::vector<optim::ParamGroup> completed(const optim::Params& params, const optim::Optimizer& local) {
  std::vector<optim::ParamGroup> groups = params.groups();
  for (std::size_t g = 0; g < groups.size(); ++g) groups[g].options = local.param_groups()[g].options;
  return groups;
}

}  // namespace

ZeroRedundancyOptimizer::ZeroRedundancyOptimizer(const optim::Params& params, const Make& make,
                                                 const Group& group)
    : ZeroRedundancyOptimizer(params, [&] {
        auto shares = std::make_unique<Shares>();
        shares->group = group;
        shares->parameters = all_parameters(params);
        shares->divide(get_world_size(group));
        shares->local = make(shares->own_params(params.groups(), get_rank(group)));
        if (dynamic_cast<const optim::FusedOptimizer*>(shares->local.get()) == nullptr)
          throw TensorError(kOptimizer,
                            "the optimizer must update each element by itself, as SGD, Adagrad, "
                            "RMSprop, Adam and AdamW do");
        return shares;
      }()) {}

ZeroRedundancyOptimizer::ZeroRedundancyOptimizer(const optim::Params& params, std::unique_ptr<Shares> shares)
    : Optimizer(completed(params, *shares->local), shares->local->param_groups()[0].options, kOptimizer),
      shares_(std::move(shares)) {}

ZeroRedundancyOptimizer::~ZeroRedundancyOptimizer() = default;

const optim::Optimizer& ZeroRedundancyOptimizer::local_optimizer() const {
  return *shares_->local;
}

void ZeroRedundancyOptimizer::step() {
  update([&] { shares_->local->step(); });
}

void ZeroRedundancyOptimizer::step(const optim::GradScale& scale) {
  update([&] { shares_->local->step(scale); });
}

void ZeroRedundancyOptimizer::update(const std::function<void()>& step) {
  const NoGradGuard no_grad;
  check_gradients(nullptr);
  const int rank = get_rank(shares_->group);
  for (const Tensor& parameter : shares_->parameters) state(parameter).clear();  // what was consolidated
  for (std::size_t g = 0; g < param_groups().size(); ++g)
    shares_->local->param_groups()[g].options = param_groups()[g].options;
  for (const Shares::Piece& piece : shares_->pieces) {
    const Tensor& parameter = shares_->parameters[piece.parameter];
    if (parameter.storage() != piece.tensor.storage())
      throw TensorError(kOptimizer, "a parameter was moved or converted; make the optimizer after that");
    const Tensor grad = parameter.grad();
    if (piece.owner != rank) continue;
    piece.tensor.mutable_grad() =
        grad.defined() ? piece_of(with_strides(grad, parameter.strides()), piece.begin, piece.count)
                       : Tensor();
  }
  step();
  std::vector<Work> sent;
  for (const Shares::Piece& piece : shares_->pieces) {
    if (piece.owner == rank) piece.tensor.mutable_grad() = Tensor();
    if (!shares_->parameters[piece.parameter].grad().defined()) continue;  // as on all ranks
    sent.push_back(broadcast(piece.tensor, get_global_rank(shares_->group, piece.owner),
                             {.group = shares_->group, .async_op = true}));
  }
  for (const Work& work : sent) work.wait();
}

void ZeroRedundancyOptimizer::consolidate_state_dict(int to) {
  const NoGradGuard no_grad;
  const Group& group = shares_->group;
  const int rank = get_rank(group), target = get_group_rank(group, to);
  for (const Tensor& parameter : shares_->parameters) state(parameter).clear();
  for (const Shares::Piece& piece : shares_->pieces) {
    const int owner = get_global_rank(group, piece.owner);
    const Tensor& parameter = shares_->parameters[piece.parameter];
    State own;
    if (piece.owner == rank) own = shares_->local->state(piece.tensor);
    std::int64_t count = static_cast<std::int64_t>(own.size());
    const bool is_sent = piece.owner != target;
    const auto pass = [&](const Tensor& tensor) {
      if (!is_sent) return;
      if (rank == piece.owner) send(tensor, to, group);
      if (rank == target) recv(tensor, owner, group);
    };
    if (rank != piece.owner && rank != target) continue;
    pass(bytes_of(&count, sizeof count));
    auto entry = own.begin();
    for (std::int64_t k = 0; k < count; ++k) {
      StateForm form;
      Tensor value;
      if (piece.owner == rank) {
        value = entry->second.detach();
        std::memcpy(form.name, entry->first.data(), std::min(entry->first.size(), sizeof form.name - 1));
        form.dtype = static_cast<std::int64_t>(value.dtype());
        form.is_whole = value.dim() == 0 ? 1 : 0;
        form.is_on_gpu = value.is_cuda() ? 1 : 0;
        ++entry;
      }
      pass(bytes_of(&form, sizeof form));
      const TensorOptions options{.dtype = static_cast<Dtype>(form.dtype),
                                  .device = form.is_on_gpu != 0 ? parameter.device() : cpu};
      const bool is_whole = form.is_whole != 0;
      if (!value.defined()) value = empty(is_whole ? Sizes{} : Sizes{piece.count}, options);
      pass(value);
      if (rank != target) continue;
      Tensor& all = state(parameter)[form.name];
      if (!all.defined())
        all = optim::state_tensor(is_whole ? empty({}, options) : empty_like(parameter, options));
      copy_elements(is_whole ? all : flat_slice(all, piece.begin, piece.count), value);
    }
  }
}

ShardedStateDict ZeroRedundancyOptimizer::sharded_state_dict() const {
  ShardedStateDict shards;
  for (const Shares::Piece& piece : shares_->pieces) {
    if (piece.owner != get_rank(shares_->group)) continue;
    const Tensor& parameter = shares_->parameters[piece.parameter];
    if (!parameter.is_contiguous())
      throw TensorError(std::string(kOptimizer) + ".sharded_state_dict", "the parameters must be contiguous");
    const State* const own = shares_->local->find_state(piece.tensor);
    if (own == nullptr) continue;
    for (const auto& [name, tensor] : *own)
      shards.emplace_back(
          fmt::format("{}{}.{}", optim::kStatePrefix, piece.parameter, name),
          tensor.dim() == 0 ? whole(tensor) : Shard{tensor.detach(), parameter.sizes(), {piece.begin}});
  }
  for (const auto& [name, tensor] : state_dict()) {
    if (name.starts_with(optim::kGroupPrefix)) shards.emplace_back(name, whole(tensor));
  }
  return shards;
}

/// The entries of own pieces, under their numbers in the local optimizer.
StateDict ZeroRedundancyOptimizer::Shares::own_part(const StateDict& saved, int rank) const {
  StateDict own;
  for (const auto& [entry, tensor] : saved) {
    const auto parts = optim::parse_state_name(entry);
    if (!parts || parts->prefix != optim::kStatePrefix || parts->index >= parameters.size()) {
      const bool is_list = parts && parts->prefix == optim::kGroupPrefix && parts->name == "params";
      if (!is_list) own.insert(entry, tensor);  // load_state_dict() makes lists of its own
      continue;
    }
    const std::size_t index = parts->index;
    const bool is_whole = tensor.dim() == 0;
    if (!is_whole && tensor.sizes() != parameters[index].sizes())
      throw TensorError(std::string(kOptimizer) + ".load_state_dict",
                        fmt::format("{} has shape {}, not {}", entry, to_string(tensor.sizes()),
                                    to_string(parameters[index].sizes())));
    for (const Piece& piece : pieces) {
      if (piece.parameter != index || piece.owner != rank) continue;
      const Tensor dense = is_whole ? tensor : with_strides(tensor, parameters[index].strides());
      own.insert(fmt::format("{}{}.{}", optim::kStatePrefix, piece.number, parts->name),
                 is_whole ? tensor : flat_slice(dense, piece.begin, piece.count));
    }
  }
  return own;
}

void ZeroRedundancyOptimizer::load_state_dict(const StateDict& saved) {
  const NoGradGuard no_grad;
  StateDict own = shares_->own_part(saved, get_rank(shares_->group));
  for (std::size_t g = 0; g < param_groups().size(); ++g) {
    const std::string entry = fmt::format("param_groups.{}.params", g);
    const auto whole = static_cast<std::int64_t>(param_groups()[g].params.size());
    const Tensor* const found = saved.find(entry);
    if (found == nullptr || found->numel() != whole)
      throw TensorError(std::string(kOptimizer) + ".load_state_dict",
                        fmt::format("group {} must have {} parameters", g, whole));
    own.insert(entry, zeros({static_cast<std::int64_t>(shares_->local->param_groups()[g].params.size())},
                            {.dtype = int64, .device = cpu}));
  }
  shares_->local->load_state_dict(own);
  for (std::size_t g = 0; g < param_groups().size(); ++g)
    param_groups()[g].options = shares_->local->param_groups()[g].options;
}

}  // namespace lectern::distributed
