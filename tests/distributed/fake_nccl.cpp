// An NCCL for GPUs that are the host's memory (device/fake_driver.h). Ranks give each other their elements in
// files, each of which appears with all that is in it.

#include "distributed/fake_nccl.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <unistd.h>

#include "base/dtype.h"

using lectern::nccl::Op;
using lectern::nccl::Result;
using lectern::nccl::Type;
using lectern::nccl::UniqueId;

namespace {
using Bytes = std::vector<char>;
using Work = std::function<bool()>;
}  // namespace

struct ncclComm {
  std::filesystem::path folder;
  int rank, size;
  int questions = 0;  ///< CommGetAsyncError so far
  std::uint64_t collectives = 0;
  std::map<int, std::uint64_t> sent = {}, received = {};  ///< messages, by the other rank
  std::atomic<bool> is_aborted = false;

  ncclComm(std::filesystem::path where, int own_rank, int ranks)
      : folder(std::move(where)), rank(own_rank), size(ranks) {}

  void publish(const std::string& name, const void* data, std::size_t bytes) const {
    const std::filesystem::path written = folder / (name + ".part");
    {
      std::ofstream out(written, std::ios::binary);
      out.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
    }
    std::filesystem::rename(written, folder / name);
  }
  bool has(const std::string& name) const { return std::filesystem::exists(folder / name); }
  Bytes read(const std::string& name) const {
    std::ifstream in(folder / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  bool is_connected() const {
    for (int peer = 0; peer < size; ++peer) {
      if (!has("rank" + std::to_string(peer))) return false;
    }
    return true;
  }
};

namespace {

lectern::test::FakeNccl control;
std::mutex mutex;                    ///< of what follows, for the threads of several groups
std::deque<ncclComm> communicators;  ///< for ever: work may refer to one that was aborted
int ids = 0;

/// What this thread's group asks for.
struct Asked {
  ncclComm* comm = nullptr;
  lectern::cuda::StreamHandle stream = nullptr;
  std::vector<Work> works = {};
};
thread_local int depth = 0;
thread_local Asked asked;

std::size_t size_of(Type type) {
  constexpr std::size_t kSizes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
  return kSizes[static_cast<std::size_t>(type)];
}

template <typename T>
double number_of(T value) {
  if constexpr (std::is_arithmetic_v<T>)
    return static_cast<double>(value);
  else
    return static_cast<float>(value);
}

template <typename T>
T converted(double value) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::int64_t>(value));
  else if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(value);
  else
    return T(static_cast<float>(value));
}

double combined(Op op, double left, double right) {
  switch (op) {
    case Op::product:
      return left * right;
    case Op::min:
      return std::min(left, right);
    case Op::max:
      return std::max(left, right);
    default:
      return left + right;
  }
}

template <typename T>
void combine(Op op, const Bytes& from, Bytes& into) {
  for (std::size_t at = 0; at < into.size(); at += sizeof(T)) {
    T left, right;
    std::memcpy(&left, into.data() + at, sizeof(T));
    std::memcpy(&right, from.data() + at, sizeof(T));
    left = converted<T>(combined(op, number_of(left), number_of(right)));
    std::memcpy(into.data() + at, &left, sizeof(T));
  }
}

template <typename T>
void divide(Bytes& sums, int ranks) {
  for (std::size_t at = 0; at < sums.size(); at += sizeof(T)) {
    T sum;
    std::memcpy(&sum, sums.data() + at, sizeof(T));
    sum = converted<T>(number_of(sum) / ranks);
    std::memcpy(sums.data() + at, &sum, sizeof(T));
  }
}

template <typename T>
Bytes reduced_as(Op op, std::vector<Bytes>& all) {
  for (std::size_t i = 1; i < all.size(); ++i) combine<T>(op, all[i], all[0]);
  if constexpr (!std::is_integral_v<T>) {
    if (op == Op::avg) divide<T>(all[0], static_cast<int>(all.size()));
  }
  return all[0];
}

Bytes reduced(Type type, Op op, std::vector<Bytes> all) {
  switch (type) {
    case Type::int8:
      return reduced_as<std::int8_t>(op, all);
    case Type::uint8:
      return reduced_as<std::uint8_t>(op, all);
    case Type::int32:
      return reduced_as<std::int32_t>(op, all);
    case Type::int64:
      return reduced_as<std::int64_t>(op, all);
    case Type::float16:
      return reduced_as<lectern::Half>(op, all);
    case Type::bfloat16:
      return reduced_as<lectern::BFloat16>(op, all);
    case Type::float32:
      return reduced_as<float>(op, all);
    case Type::float64:
      break;
  }
  return reduced_as<double>(op, all);
}

void give(lectern::cuda::StreamHandle stream, Work work) {
  if (control.give != nullptr) return control.give(stream, std::move(work));
  while (!work()) std::this_thread::yield();
}

Result ask(ncclComm* comm, lectern::cuda::StreamHandle stream, Work work) {
  if (depth == 0) return static_cast<Result>(5);  // ours always come in groups
  asked.comm = comm;
  asked.stream = stream;
  asked.works.push_back(std::move(work));
  return Result::success;
}

/// This rank's elements go to all; with those of all, when they are there, `finish` is called.
Result ask_collective(ncclComm* comm, lectern::cuda::StreamHandle stream, const void* sent, std::size_t bytes,
                      std::function<void(const std::vector<Bytes>&)> finish) {
  const std::string name = "collective" + std::to_string(++comm->collectives) + ".";
  return ask(comm, stream, [=, finish = std::move(finish), is_begun = false]() mutable {
    if (!std::exchange(is_begun, true)) comm->publish(name + std::to_string(comm->rank), sent, bytes);
    std::vector<Bytes> all;
    for (int peer = 0; peer < comm->size; ++peer) {
      if (!comm->has(name + std::to_string(peer))) return false;
    }
    for (int peer = 0; peer < comm->size; ++peer) all.push_back(comm->read(name + std::to_string(peer)));
    finish(all);
    return true;
  });
}

std::string message_name(int from, int to, std::uint64_t number) {
  return "message" + std::to_string(from) + "." + std::to_string(to) + "." + std::to_string(number);
}

}  // namespace

extern "C" {

lectern::test::FakeNccl* lectern_fake_nccl() {
  return &control;
}

Result ncclGetVersion(int* version) {
  *version = 22809;
  return Result::success;
}
const char* ncclGetErrorString(Result result) {
  return result == Result::success ? "no error" : "fake error";
}
const char* ncclGetLastError(ncclComm* /*comm*/) {
  return control.last_error.c_str();
}

Result ncclGetUniqueId(UniqueId* id) {
  const std::lock_guard lock(mutex);
  const std::string folder =
      control.folder + "/nccl" + std::to_string(getpid()) + "." + std::to_string(++ids);
  std::filesystem::create_directories(folder);
  *id = {};
  folder.copy(id->internal, sizeof id->internal - 1);
  return control.id_result;
}
Result ncclCommInitRankConfig(ncclComm** comm, int ranks, UniqueId id, int rank,
                              lectern::nccl::Config* config) {
  if (config->magic != 0xcafebeef || config->blocking != 0) return static_cast<Result>(4);
  if (control.init_result != Result::success) return control.init_result;
  const std::lock_guard lock(mutex);
  *comm = &communicators.emplace_back(id.internal, rank, ranks);
  (*comm)->publish("rank" + std::to_string(rank), "", 0);
  return Result::in_progress;
}
Result ncclCommGetAsyncError(ncclComm* comm, Result* result) {
  const bool is_busy = ++comm->questions % 3 != 0 || !comm->is_connected();
  *result = is_busy ? Result::in_progress : control.async_result;
  return Result::success;
}
Result ncclCommDestroy(ncclComm* /*comm*/) {
  ++control.destroyed;
  return Result::success;
}
Result ncclCommAbort(ncclComm* comm) {
  comm->is_aborted = true;
  ++control.aborted;
  return Result::success;
}

Result ncclGroupStart() {
  ++depth;
  return Result::success;
}
/// What a group asks for goes on side by side.
Result ncclGroupEnd() {
  if (--depth > 0 || asked.works.empty()) return Result::success;
  Asked all = std::exchange(asked, {});
  const auto work = [works = std::move(all.works), comm = all.comm]() mutable {
    if (comm->is_aborted) return true;
    std::erase_if(works, [](Work& each) { return each(); });
    return works.empty() && !control.hangs;
  };
  give(all.stream, work);
  return Result::in_progress;
}

Result ncclAllReduce(const void* sent, void* received, std::size_t count, Type type, Op op, ncclComm* comm,
                     lectern::cuda::StreamHandle stream) {
  return ask_collective(comm, stream, sent, count * size_of(type), [=](const std::vector<Bytes>& all) {
    const Bytes result = reduced(type, op, all);
    std::memcpy(received, result.data(), result.size());
  });
}
Result ncclReduce(const void* sent, void* received, std::size_t count, Type type, Op op, int root,
                  ncclComm* comm, lectern::cuda::StreamHandle stream) {
  return ask_collective(comm, stream, sent, count * size_of(type), [=](const std::vector<Bytes>& all) {
    if (comm->rank != root) return;
    const Bytes result = reduced(type, op, all);
    std::memcpy(received, result.data(), result.size());
  });
}
Result ncclReduceScatter(const void* sent, void* received, std::size_t count, Type type, Op op,
                         ncclComm* comm, lectern::cuda::StreamHandle stream) {
  const std::size_t bytes = count * size_of(type), whole = bytes * static_cast<std::size_t>(comm->size);
  return ask_collective(comm, stream, sent, whole, [=](const std::vector<Bytes>& all) {
    const Bytes result = reduced(type, op, all);
    std::memcpy(received, result.data() + static_cast<std::size_t>(comm->rank) * bytes, bytes);
  });
}
Result ncclBroadcast(const void* sent, void* received, std::size_t count, Type type, int root, ncclComm* comm,
                     lectern::cuda::StreamHandle stream) {
  return ask_collective(comm, stream, sent, count * size_of(type), [=](const std::vector<Bytes>& all) {
    const Bytes& from = all[static_cast<std::size_t>(root)];
    std::memcpy(received, from.data(), from.size());
  });
}
Result ncclAllGather(const void* sent, void* received, std::size_t count, Type type, ncclComm* comm,
                     lectern::cuda::StreamHandle stream) {
  return ask_collective(comm, stream, sent, count * size_of(type), [=](const std::vector<Bytes>& all) {
    char* to = static_cast<char*>(received);
    for (const Bytes& each : all) to = std::copy(each.begin(), each.end(), to);
  });
}
Result ncclSend(const void* sent, std::size_t count, Type type, int peer, ncclComm* comm,
                lectern::cuda::StreamHandle stream) {
  const std::string name = message_name(comm->rank, peer, ++comm->sent[peer]);
  return ask(comm, stream, [=] {
    comm->publish(name, sent, count * size_of(type));
    return true;
  });
}
Result ncclRecv(void* received, std::size_t /*count*/, Type /*type*/, int peer, ncclComm* comm,
                lectern::cuda::StreamHandle stream) {
  const std::string name = message_name(peer, comm->rank, ++comm->received[peer]);
  return ask(comm, stream, [=] {
    if (!comm->has(name)) return false;
    const Bytes bytes = comm->read(name);
    std::memcpy(received, bytes.data(), bytes.size());
    return true;
  });
}

}  // extern "C"
