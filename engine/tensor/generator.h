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

/// Where random numbers come from: the streams of PyTorch's generators, bit for bit. On the CPU a Mersenne
/// Twister of which all draws take turns; on CUDA a Philox counter, from which each thread takes its own.
///
/// A copy goes on with the same numbers, independently. Operations lock the generator while they draw.
class Generator {
 public:
  static constexpr std::uint64_t kDefaultSeed = 67280421310721;

  /// Seeded with kDefaultSeed, as PyTorch's.
  explicit Generator(Device device = cpu);
  Generator(const Generator& other) : Generator(other, other.lock()) {}
  Generator& operator=(const Generator& other);
  ~Generator();

  Device device() const { return device_; }

  /// Starts the stream of `seed` from its beginning. A negative seed stands for 2^64 + seed. (On the CPU,
  /// seeds that agree in their low 32 bits give the same stream.)
  template <std::integral Integer>
  Generator& manual_seed(Integer seed) {
    reseed(static_cast<std::uint64_t>(seed));
    return *this;
  }
  /// Takes a seed from the system's source of randomness and returns it.
  std::uint64_t seed();
  /// The last seed given.
  std::uint64_t initial_seed() const;

  /// All that determines the numbers to come, in the bytes of PyTorch's Generator.get_state(): 5,056 of the
  /// CPU's, 16 of CUDA's (seed and offset).
  std::vector<std::uint8_t> get_state() const;
  /// A TensorError when these are not the bytes of a state of such a generator.
  void set_state(std::span<const std::uint8_t> bytes);

  /// The next 32 or 64 bits of the CPU's stream; a TensorError on CUDA.
  std::uint32_t random();
  std::uint64_t random64();

  // For operations.
  /// Before anything is drawn. The GeneratorWatches of this thread see it first.
  [[nodiscard]] std::unique_lock<std::mutex> lock() const;
  /// A TensorError on CUDA.
  kernels::RandomStream& stream();
  /// Where CUDA's generator stands; it then goes `increment` further. A TensorError on the CPU.
  kernels::PhiloxState advance(std::uint64_t increment);

 private:
  Generator(const Generator& other, const std::unique_lock<std::mutex>& held);
  void reseed(std::uint64_t seed);

  Device device_;
  std::uint64_t initial_seed_;
  std::variant<kernels::RandomStream, kernels::PhiloxState> source_;
  mutable std::mutex mutex_;
};

/// While it lives, sees which generators this thread uses: draws from, seeds, copies, or reads the state of.
/// Of several, the outermost sees a use first.
class GeneratorWatch {
 public:
  GeneratorWatch();
  virtual ~GeneratorWatch();
  GeneratorWatch(const GeneratorWatch&) = delete;
  GeneratorWatch& operator=(const GeneratorWatch&) = delete;

  /// The generator is about to be used. What this does to generators is seen by nobody.
  virtual void before_use(Generator& generator) = 0;
  /// The generator is about to end.
  virtual void before_end(const Generator& generator) = 0;

 private:
  friend class Generator;
  void tell_use(Generator& generator);

  GeneratorWatch* outer_;
};

/// What operations on that device draw from when they are given no generator. Seeded with
/// Generator::kDefaultSeed until manual_seed() is called, so that a program draws the same numbers each time
/// it runs. (PyTorch's begins anywhere.)
Generator& default_generator(Device device = cpu);

/// Seeds the default generators of all devices; returns the CPU's.
Generator& manual_seed(std::uint64_t seed);
template <std::integral Integer>
Generator& manual_seed(Integer seed) {
  return manual_seed(static_cast<std::uint64_t>(seed));
}

}  // namespace lectern
