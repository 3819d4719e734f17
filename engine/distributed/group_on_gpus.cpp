// How a group's ranks connect their GPUs.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "base/tensor_error.h"
#include "distributed/exchange.h"
#include "distributed/group.h"

namespace lectern::distributed {
namespace {

constexpr std::uint64_t kInvitationPhase = 5;

/// From the group's first rank: how to connect, or why it can't be done.
struct Invitation {
  nccl::UniqueId id{};
  char problem[512] = {};  ///< empty: none
};

Invitation invitation() {
  Invitation made;
  try {
    made.id = nccl::Communicator::unique_id();
  } catch (const Error& error) {
    const std::string_view text = error.what();
    std::memcpy(made.problem, text.data(), std::min(text.size(), sizeof made.problem - 1));
  }
  return made;
}

nccl::UniqueId shared_id(ProcessGroup& group, const std::string& operation, std::uint64_t sequence) {
  Invitation common;
  Exchange exchange(group, operation, sequence);
  if (group.rank() == 0) {
    common = invitation();
    for (int peer = 1; peer < group.size(); ++peer)
      exchange.send(peer, kInvitationPhase, 0, &common, sizeof common);
  } else {
    exchange.receive(0, kInvitationPhase, 0, &common, sizeof common);
  }
  exchange.wait_for_all();
  if (common.problem[0] != 0)
    throw TensorError(operation,
                      fmt::format("rank {} can't connect the GPUs: {}", group.global(0), common.problem));
  return common.id;
}

}  // namespace

std::shared_ptr<nccl::Communicator> ProcessGroup::communicator(const std::string& operation,
                                                               std::uint64_t sequence, int device) {
  if (communicator_ == nullptr) {
    const nccl::UniqueId id = shared_id(*this, operation, sequence);
    const auto check = [this](std::string_view collective) {
      if (mesh_ != nullptr) mesh_->check(ranks_, collective);
    };
    communicator_ = std::make_shared<nccl::Communicator>(
        operation, id, device, nccl::Communicator::Ranks{rank_, size(), options_.timeout, check});
  }
  if (communicator_->device() != device)
    throw TensorError(operation,
                      fmt::format("this process takes part with the GPU cuda:{}, and the tensor is on "
                                  "cuda:{}; a process uses one GPU in a group",
                                  communicator_->device(), device));
  return communicator_;
}

ProcessGroup& ProcessGroup::direction(int from, int to) {
  constexpr std::uint64_t kDirections = 11;
  auto& pair = directions_[{from, to}];
  if (pair == nullptr) {
    const std::uint64_t id =
        slot_of({kDirections, id_, static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(to)});
    pair = std::make_unique<ProcessGroup>(mesh_, id, std::vector<int>{global(from), global(to)},
                                          mesh_->rank(), options_);
  }
  return *pair;
}

}  // namespace lectern::distributed
