#include "distributed/process_group.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "base/tensor_error.h"
#include "device/cuda.h"
#include "device/faults.h"
#include "distributed/agreement.h"
#include "distributed/group.h"
#include "distributed/nccl_library.h"
#include "distributed/observer.h"

namespace lectern::distributed {
namespace {

constexpr const char* kInit = "init_process_group";

constexpr const char* kBothBackends = "cpu:gloo,cuda:nccl";

struct State {
  Group world;
  std::shared_ptr<Mesh> mesh;
  std::vector<std::weak_ptr<ProcessGroup>> groups;
  std::uint64_t next_group = 1;
};

/// Never destroyed: a process that just ends must not wait for the others.
State& state() {
  static State* const the_state = new State;
  return *the_state;
}

int environment_number(const char* name, const char* option) {
  const char* const value = std::getenv(name);
  const std::string_view given = value == nullptr ? "" : value;
  int number = -1;
  const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), number);
  if (given.empty())
    throw TensorError(
        kInit, fmt::format("{} is not given, and ${} is not set; `lectern run --processes N` sets it", option,
                           name));
  if (error != std::errc() || end != given.data() + given.size())
    throw TensorError(kInit, fmt::format("${}", name), "a number", given);
  return number;
}

/// "127.0.0.1:29500"
std::unique_ptr<Store> tcp_store_at(const std::string& address, int rank, Milliseconds timeout) {
  const std::size_t colon = address.rfind(':');
  int port = -1;
  if (colon != std::string::npos)
    std::from_chars(address.data() + colon + 1, address.data() + address.size(), port);
  if (port < 1 || port > 65535 || colon == 0)
    throw TensorError(kInit, "init_method", "tcp://HOST:PORT with a port from 1 to 65535",
                      "tcp://" + address);
  return tcp_store(address.substr(0, colon), port, rank, timeout);
}

std::unique_ptr<Store> store_of(const ProcessGroupOptions& options) {
  const std::string& method = options.init_method;
  if (method.starts_with("file:///")) return file_store(method.substr(7), options.rank);
  if (method.starts_with("tcp://")) return tcp_store_at(method.substr(6), options.rank, options.timeout);
  if (method != "env://")
    throw TensorError(kInit, "init_method", "file:///FOLDER, tcp://HOST:PORT or env://", method);
  if (const char* const folder = std::getenv(kRendezvousVariable)) return file_store(folder, options.rank);
  const char* const host = std::getenv("MASTER_ADDR");
  if (host == nullptr)
    throw TensorError(kInit,
                      "init_method is env://, and $MASTER_ADDR is not set; a lecture has its processes from "
                      "`lecture({.processes = N})`");
  const int port = environment_number("MASTER_PORT", "the port");
  return tcp_store_at(fmt::format("{}:{}", host, port), options.rank, options.timeout);
}

void check_options(const ProcessGroupOptions& options) {
  if (options.world_size < 1)
    throw TensorError(kInit, "world_size", "positive", std::to_string(options.world_size));
  if (options.rank < 0 || options.rank >= options.world_size)
    throw TensorError(kInit, "rank", fmt::format("from 0 to {}", options.world_size - 1),
                      std::to_string(options.rank));
  if (options.timeout <= Milliseconds(0))
    throw TensorError(kInit, "timeout", "positive", fmt::format("{} ms", options.timeout.count()));
  if (options.backend == "nccl") {
    if (!cuda::is_available())
      throw TensorError(kInit, fmt::format("the backend nccl needs a GPU, and there is none: {}",
                                           cuda::unavailable_reason()));
    nccl::library(kInit);
  } else if (options.backend != "gloo" && options.backend != kBothBackends) {
    throw TensorError(kInit, "backend", fmt::format("gloo, nccl or {}", kBothBackends), options.backend);
  }
}

/// Waits until all ranks are there, with the same world size.
void meet(Store& store, const ProcessGroupOptions& options) {
  const auto key = [](int rank) { return fmt::format("rank.{}", rank); };
  const std::string mine = fmt::format("{} {}", options.world_size, getpid());
  if (!store.add(key(options.rank), mine)) {
    const std::string other = store.find(key(options.rank)).value_or("? ?");
    throw TensorError(
        kInit, fmt::format("rank {} is taken, by process {}; each process needs a rank of its own, and each "
                           "run an init_method of its own",
                           options.rank, other.substr(other.find(' ') + 1)));
  }
  const Clock::time_point deadline = Clock::now() + options.timeout;
  std::vector<bool> present(static_cast<std::size_t>(options.world_size), false);
  for (Milliseconds pause(1);; pause = std::min(2 * pause, Milliseconds(20))) {
    std::vector<int> missing;
    for (int rank = 0; rank < options.world_size; ++rank) {
      if (present[static_cast<std::size_t>(rank)]) continue;
      const auto other = store.find(key(rank));
      if (!other) {
        missing.push_back(rank);
        continue;
      }
      present[static_cast<std::size_t>(rank)] = true;
      if (const std::string size = other->substr(0, other->find(' '));
          size != std::to_string(options.world_size))
        throw TensorError(kInit, fmt::format("rank {} has world_size {}, rank {} has {}", options.rank,
                                             options.world_size, rank, size));
    }
    if (missing.empty()) return;
    if (Clock::now() >= deadline)
      throw TensorError(kInit, fmt::format("after {} s these ranks of {} are missing: {}",
                                           static_cast<double>(options.timeout.count()) / 1000,
                                           options.world_size, fmt::join(missing, ", ")));
    std::this_thread::sleep_for(pause);
  }
}

/// With the rank and the world size of the environment where env:// leaves them out.
ProcessGroupOptions completed(ProcessGroupOptions options) {
  if (options.backend.empty()) options.backend = kBothBackends;
  if (options.init_method == "env://") {
    if (options.rank < 0) options.rank = environment_number("RANK", "the rank");
    if (options.world_size < 0) options.world_size = environment_number("WORLD_SIZE", "the world size");
  }
  return options;
}

const Group& existing(const char* operation, const Group& group) {
  if (!is_initialized()) throw TensorError(operation, "there is no process group; call init_process_group");
  return group == nullptr ? state().world : group;
}

}  // namespace

Milliseconds default_timeout() {
  const char* const value = std::getenv(kTimeoutVariable);
  double seconds = 0;
  if (value != nullptr) {
    const std::string_view given = value;
    const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), seconds);
    if (error != std::errc() || end != given.data() + given.size() || !(seconds > 0 && seconds < 1e9))
      throw TensorError(kInit, fmt::format("${}", kTimeoutVariable), "a number of seconds", given);
  }
  return seconds > 0 ? Milliseconds(static_cast<std::int64_t>(std::ceil(seconds * 1000)))
                     : std::chrono::minutes(30);
}

void init_process_group(const ProcessGroupOptions& options) {
  if (is_initialized()) throw TensorError(kInit, "there is a process group already; destroy it first");
  const ProcessGroupOptions chosen = completed(options);
  check_options(chosen);
  const std::unique_ptr<Store> store = store_of(chosen);
  meet(*store, chosen);
  std::shared_ptr<Mesh> mesh;
  if (chosen.world_size > 1)
    mesh = std::make_shared<Mesh>(*store, chosen.rank, chosen.world_size, chosen.timeout);
  std::vector<int> ranks(static_cast<std::size_t>(chosen.world_size));
  std::iota(ranks.begin(), ranks.end(), 0);
  const Group world = std::make_shared<ProcessGroup>(mesh, 0, ranks, chosen.rank, chosen);
  const std::uint64_t sequence = world->next_sequence();
  notify_observer({kInit, world->id(), sequence});
  agree(*world, sequence, {kInit, fmt::format("{} with the backend {}", kInit, chosen.backend)});
  store->close();
  state().world = world;
  state().mesh = mesh;
}

bool is_initialized() {
  return state().world != nullptr;
}

void destroy_process_group() {
  existing("destroy_process_group", nullptr);
  const State ended = std::exchange(state(), {});
  for (const auto& group : ended.groups) {
    if (const Group alive = group.lock()) alive->finish();
  }
  ended.world->finish();
  if (ended.mesh != nullptr) ended.mesh->leave();
  cuda::forget_lost_work();
}

Group new_group(const std::vector<int>& ranks) {
  const Group& world = existing("new_group", nullptr);
  const auto is_bad = [&](int rank) {
    return rank < 0 || rank >= world->size() || std::ranges::count(ranks, rank) > 1;
  };
  if (ranks.empty() || std::ranges::any_of(ranks, is_bad))
    throw TensorError("new_group", "the ranks", fmt::format("different ones from 0 to {}", world->size() - 1),
                      fmt::format("[{}]", fmt::join(ranks, ", ")));
  const auto call = fmt::format("new_group of ranks [{}]", fmt::join(ranks, ", "));
  const std::uint64_t sequence = world->next_sequence();
  notify_observer({"new_group", world->id(), sequence});
  const auto work = std::make_shared<PendingWork>(
      [&] {
        agree(*world, sequence, {"new_group", call});
      },
      nullptr);
  world->submit(work);
  work->wait();
  const auto group = std::make_shared<ProcessGroup>(state().mesh, state().next_group++, ranks, world->rank(),
                                                    world->options());
  state().groups.push_back(group);
  return group->rank() < 0 ? nullptr : group;
}

ProcessGroup& member_group(std::string_view operation, const Group& group) {
  if (!is_initialized()) throw TensorError(operation, "there is no process group; call init_process_group");
  ProcessGroup& members = group == nullptr ? *state().world : *group;
  if (members.is_finished())
    throw TensorError(operation, "the group is of a process group that was destroyed; call new_group");
  return members;
}

std::string get_backend(const Group& group) {
  return existing("get_backend", group)->options().backend;
}

bool is_nccl_available() {
  try {
    nccl::library("NCCL");
    return true;
  } catch (const TensorError&) {
    return false;
  }
}

int get_rank(const Group& group) {
  return existing("get_rank", group)->rank();
}

int get_world_size(const Group& group) {
  return existing("get_world_size", group)->size();
}

int get_global_rank(const Group& group, int group_rank) {
  const Group& members = existing("get_global_rank", group);
  if (group_rank < 0 || group_rank >= members->size())
    throw TensorError("get_global_rank", "the rank", fmt::format("from 0 to {}", members->size() - 1),
                      std::to_string(group_rank));
  return members->global(group_rank);
}

int get_group_rank(const Group& group, int global_rank) {
  const Group& members = existing("get_group_rank", group);
  const int rank = members->group_rank(global_rank);
  if (rank < 0)
    throw TensorError("get_group_rank", "the rank",
                      fmt::format("one of [{}]", fmt::join(members->ranks(), ", ")),
                      std::to_string(global_rank));
  return rank;
}

std::vector<int> get_process_group_ranks(const Group& group) {
  return existing("get_process_group_ranks", group)->ranks();
}

}  // namespace lectern::distributed
