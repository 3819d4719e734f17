#include "tensor/generator.h"

#include <cstring>
#include <map>
#include <random>
#include <string>
#include <utility>

#include "base/scoped_value.h"
#include "base/tensor_error.h"
#include "tensor/cuda_graph.h"

namespace lectern {
namespace {

using kernels::Mt19937;
using kernels::PhiloxState;
using kernels::RandomStream;

/// The state of PyTorch's CPU generator as laid out in memory and checkpoints. Its words have 64 bits for
/// historical reasons; fields named "unused…" are 0.
struct CpuState {
  std::uint64_t seed;
  std::int32_t left;  ///< words until the next 624 are generated, plus one
  std::int32_t seeded;
  std::uint64_t next;
  std::uint64_t words[Mt19937::kWords];
  double unused_normal;
  double next_normal;
  double unused_rho;
  std::int32_t has_next_normal;
  std::int32_t unused_padding;
  float unused_next_float;
  std::uint32_t unused_has_next_float;
};
static_assert(sizeof(CpuState) == 5056);

struct CudaState {
  std::uint64_t seed;
  std::uint64_t offset;
};

template <typename State>
std::vector<std::uint8_t> to_bytes(const State& state) {
  std::vector<std::uint8_t> bytes(sizeof(State));
  std::memcpy(bytes.data(), &state, sizeof(State));
  return bytes;
}

template <typename State>
State from_bytes(std::span<const std::uint8_t> bytes) {
  if (bytes.size() != sizeof(State)) {
    throw TensorError("set_state", "state", std::to_string(sizeof(State)) + " bytes long",
                      std::to_string(bytes.size()));
  }
  State state;
  std::memcpy(&state, bytes.data(), sizeof(State));
  return state;
}

std::int32_t words_left(std::uint64_t next) {
  return next == 0 ? 1 : static_cast<std::int32_t>(Mt19937::kWords + 1 - next);
}

std::variant<RandomStream, PhiloxState> seeded(Device device, std::uint64_t seed) {
  if (device.is_cuda()) return PhiloxState{seed, 0};
  return RandomStream{Mt19937(seed), {}};
}

struct Defaults {
  std::mutex mutex;
  std::uint64_t seed = Generator::kDefaultSeed;  ///< for generators created later
  Generator cpu_generator;
  std::map<int, Generator> cuda_generators;
};

Defaults& defaults() {
  static Defaults all;
  return all;
}

constinit thread_local GeneratorWatch* innermost_watch = nullptr;

}  // namespace

Generator::Generator(Device device, std::uint64_t seed)
    : device_(device), initial_seed_(seed), source_(seeded(device, seed)) {}

Generator::Generator(const Generator& other, const std::unique_lock<std::mutex>&)
    : device_(other.device_), initial_seed_(other.initial_seed_), source_(other.source_) {}

Generator& Generator::operator=(const Generator& other) {
  if (this == &other) return *this;
  const Generator copy(other);
  const auto held = lock();
  device_ = copy.device_;
  initial_seed_ = copy.initial_seed_;
  source_ = copy.source_;
  return *this;
}

Generator::~Generator() {
  for (GeneratorWatch* watch = innermost_watch; watch != nullptr; watch = watch->outer_)
    watch->before_destruction(*this);
}

std::unique_lock<std::mutex> Generator::lock() const {
  if (GeneratorWatch* const watch = innermost_watch) {
    const ScopedValue<GeneratorWatch*> unwatched(innermost_watch, nullptr);
    // A watch changes only generators whose state has changed; those are not const.
    watch->notify_use(const_cast<Generator&>(*this));
  }
  return std::unique_lock(mutex_);
}

void Generator::reseed(std::uint64_t seed) {
  const auto held = lock();
  if (device_.is_cuda()) return set_philox(seed, 0);
  initial_seed_ = seed;
  source_ = seeded(device_, seed);
}

std::uint64_t Generator::seed() {
  std::random_device system;
  const std::uint64_t seed = std::uint64_t{system()} << 32 | system();
  reseed(seed);
  return seed;
}

std::uint64_t Generator::initial_seed() const {
  const auto held = lock();
  return initial_seed_;
}

std::vector<std::uint8_t> Generator::get_state() const {
  const auto held = lock();
  if (device_.is_cuda()) {
    const PhiloxState& state = const_cast<Generator*>(this)->philox();
    return to_bytes(CudaState{state.seed, state.offset});
  }
  const auto& stream = std::get<RandomStream>(source_);
  const Mt19937::State engine = stream.engine.state();
  CpuState state{};
  state.seed = initial_seed_;
  state.left = words_left(engine.next);
  state.seeded = 1;
  state.next = engine.next;
  std::copy(engine.state.begin(), engine.state.end(), state.words);
  state.has_next_normal = stream.next_normal.has_value() ? 1 : 0;
  state.next_normal = stream.next_normal.value_or(0);
  return to_bytes(state);
}

void Generator::set_state(std::span<const std::uint8_t> bytes) {
  const auto held = lock();
  if (device_.is_cuda()) {
    const auto state = from_bytes<CudaState>(bytes);
    if (state.offset % 4 != 0) {
      throw TensorError("set_state", "the offset", "a multiple of 4", std::to_string(state.offset));
    }
    set_philox(state.seed, state.offset);
    return;
  }
  const auto state = from_bytes<CpuState>(bytes);
  if (state.seeded != 1 || state.next > Mt19937::kWords || state.left != words_left(state.next)) {
    throw TensorError("set_state", "the bytes are not the state of a Mersenne Twister");
  }
  Mt19937::State engine;
  for (std::size_t i = 0; i < Mt19937::kWords; ++i)
    engine.state[i] = static_cast<std::uint32_t>(state.words[i]);
  engine.next = static_cast<std::uint32_t>(state.next);
  initial_seed_ = state.seed;
  source_ = RandomStream{Mt19937(engine), {}};
  if (state.has_next_normal != 0) std::get<RandomStream>(source_).next_normal = state.next_normal;
}

std::uint32_t Generator::random() {
  const auto held = lock();
  return stream().engine.next32();
}

std::uint64_t Generator::random64() {
  const auto held = lock();
  return stream().engine.next64();
}

kernels::RandomStream& Generator::stream() {
  if (auto* stream = std::get_if<RandomStream>(&source_)) return *stream;
  throw TensorError("Generator", "a generator on " + device_.name() + " has no CPU stream");
}

PhiloxState Generator::advance(std::uint64_t increment) {
  PhiloxState& state = philox();
  const PhiloxState before = state;
  state.offset += increment;
  return before;
}

PhiloxState& Generator::philox() {
  auto* const own = std::get_if<PhiloxState>(&source_);
  if (own == nullptr) throw TensorError("Generator", "a CPU generator has no CUDA counter");
  PhiloxState* const captured = cuda::captured_state(*this, *own);
  return captured != nullptr ? *captured : *own;
}

void Generator::set_philox(std::uint64_t seed, std::uint64_t offset) {
  PhiloxState& state = philox();
  if (state.origin != nullptr && state.seed != seed) {
    throw TensorError("Generator", "a generator cannot be seeded while a CUDA graph is captured");
  }
  state.offset = offset;
  if (state.origin != nullptr) return;
  state.seed = initial_seed_ = seed;
}

GeneratorWatch::GeneratorWatch() : outer_(std::exchange(innermost_watch, this)) {}

GeneratorWatch::~GeneratorWatch() {
  innermost_watch = outer_;
}

void GeneratorWatch::notify_use(Generator& generator) {
  if (outer_ != nullptr) outer_->notify_use(generator);
  before_use(generator);
}

Generator& default_generator(Device device) {
  Defaults& all = defaults();
  if (device.is_cpu()) return all.cpu_generator;
  const std::scoped_lock lock(all.mutex);
  // Made with its seed: seeding it later would be a use, which a watch might see.
  return all.cuda_generators.try_emplace(device.index(), device, all.seed).first->second;
}

Generator& manual_seed(std::uint64_t seed) {
  Defaults& all = defaults();
  const std::scoped_lock lock(all.mutex);
  all.seed = seed;
  for (auto& [index, generator] : all.cuda_generators) generator.manual_seed(seed);
  return all.cpu_generator.manual_seed(seed);
}

}  // namespace lectern
