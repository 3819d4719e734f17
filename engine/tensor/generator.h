#pragma once

#include <concepts>
#include <cstdint>
#include <mutex>
#include <span>
#include <variant>
#include <vector>

#include "device/device.h"
#include "kernels/philox.h"
#include "kernels/random.h"

namespace lectern {

/// A source of random numbers: the streams of PyTorch's generators, bit for bit. On the CPU a Mersenne
/// Twister that all draws share; on CUDA a Philox counter, from which each thread takes its own values.
///
/// A copy continues with the same values, independently. Operations lock the generator while they draw.
class Generator {
 public:
  static constexpr std::uint64_t kDefaultSeed = 67280421310721;

  /// Seeded with kDefaultSeed, like PyTorch's, or with another seed.
  explicit Generator(Device device = cpu, std::uint64_t seed = kDefaultSeed);
  Generator(const Generator& other) : Generator(other, other.lock()) {}
  Generator& operator=(const Generator& other);
  ~Generator();

  Device device() const { return device_; }

  /// Restarts the stream of `seed`. A negative seed stands for 2^64 + seed. (On the CPU, seeds with equal low
  /// 32 bits give the same stream.)
  template <std::integral Integer>
  Generator& manual_seed(Integer seed) {
    reseed(static_cast<std::uint64_t>(seed));
    return *this;
  }
  /// Draws a seed from the system's entropy source and returns it.
  std::uint64_t seed();
  /// The last seed set.
  std::uint64_t initial_seed() const;

  /// The complete state, in the bytes of PyTorch's Generator.get_state(): 5,056 on the CPU, 16 on CUDA (seed
  /// and offset).
  std::vector<std::uint8_t> get_state() const;
  /// A TensorError when the bytes are not a state of this kind of generator.
  void set_state(std::span<const std::uint8_t> bytes);

  /// The next 32 or 64 bits of the CPU's stream; a TensorError on CUDA.
  std::uint32_t random();
  std::uint64_t random64();

  // For operations.
  /// Called before every draw; notifies this thread's GeneratorWatches first.
  [[nodiscard]] std::unique_lock<std::mutex> lock() const;
  /// A TensorError on CUDA.
  kernels::RandomStream& stream();
  /// CUDA's state, which then advances by `increment`. A TensorError on the CPU.
  kernels::PhiloxState advance(std::uint64_t increment);

 private:
  Generator(const Generator& other, const std::unique_lock<std::mutex>& held);
  void reseed(std::uint64_t seed);
  /// CUDA's state: this generator's or, while a CUDA graph is captured, that of its replays. A TensorError on
  /// the CPU.
  kernels::PhiloxState& philox();
  void set_philox(std::uint64_t seed, std::uint64_t offset);

  Device device_;
  std::uint64_t initial_seed_;
  std::variant<kernels::RandomStream, kernels::PhiloxState> source_;
  mutable std::mutex mutex_;
};

/// While it lives, sees which generators this thread uses: draws from, seeds, copies, or reads the state of.
/// When nested, the outermost sees a use first.
class GeneratorWatch {
 public:
  GeneratorWatch();
  virtual ~GeneratorWatch();
  GeneratorWatch(const GeneratorWatch&) = delete;
  GeneratorWatch& operator=(const GeneratorWatch&) = delete;

  /// The generator is about to be used. Uses made in here are not watched.
  virtual void before_use(Generator& generator) = 0;
  /// The generator is about to be destroyed.
  virtual void before_destruction(const Generator& generator) = 0;

 private:
  friend class Generator;
  void notify_use(Generator& generator);

  GeneratorWatch* outer_;
};

/// The generator of operations on that device that are given none. Seeded with Generator::kDefaultSeed until
/// manual_seed() is called, so that every run of a program draws the same values. (PyTorch's is seeded
/// randomly.)
Generator& default_generator(Device device = cpu);

/// Seeds the default generators of all devices; returns the CPU's.
Generator& manual_seed(std::uint64_t seed);
template <std::integral Integer>
Generator& manual_seed(Integer seed) {
  return manual_seed(static_cast<std::uint64_t>(seed));
}

}  // namespace lectern
