#include <type_traits>

#include "kernels/cpu/cache.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/reduction_blocks.h"
#include "kernels/reduction_functors.h"

namespace lectern::kernels::cpu::LECTERN_ISA {
namespace {

template <typename F, typename T>
void start(void* states, std::int64_t count) {
  auto* to = static_cast<typename F::State*>(states);
  for (std::int64_t i = 0; i < count; ++i) to[i] = F::start();
}

/// A sum of terms instead of values.
template <typename T, typename Term>
struct SumOfTerms : Sum<T> {
  Term term;

  LECTERN_HD T absorb(T sum, T value, std::int64_t) const { return sum + term(value); }
};

/// Value p goes to part p.
template <typename F, typename T, int kParts>
void absorb_each(typename F::State (&parts)[kParts], const T* values, std::int64_t index, F f) {
  if constexpr (kParts == 8) {
#pragma GCC unroll 1  // GCC vectorises loops of so few iterations only while they are loops
    for (int p = 0; p < kParts; ++p) parts[p] = f.absorb(parts[p], values[p], index + p);
  } else {
    for (int p = 0; p < kParts; ++p) parts[p] = f.absorb(parts[p], values[p], index + p);
  }
}

/// Value i goes to part i mod kParts; parts are merged pairwise.
template <typename F, typename T, int kParts>
typename F::State run_in_parts(const T* values, std::int64_t length, std::int64_t index, F f = {}) {
  typename F::State parts[kParts];
#pragma GCC unroll 64  // rather than a call of memset()
  for (auto& part : parts) part = F::start();
  std::int64_t done = 0;
  for (; done + kParts <= length; done += kParts) {
    prefetch_ahead<kParts * sizeof(T)>(values + done);
    absorb_each<F, T>(parts, values + done, index + done, f);
  }
  for (int p = 0; done + p < length; ++p) parts[p] = f.absorb(parts[p], values[done + p], index + done + p);
#pragma GCC unroll 6  // so that the halves stay in registers
  for (int half = kParts / 2; half > 0; half /= 2) {
    for (int p = 0; p < half; ++p) parts[p] = F::merge(parts[p], parts[p + half]);
  }
  return parts[0];
}

/// Whether a reduction adds up the values as they are, and they are real.
template <typename F>
constexpr bool kAddsReals = false;
template <typename T>
constexpr bool kAddsReals<Sum<T>> = std::is_floating_point_v<T>;
template <typename T>
constexpr bool kAddsReals<Mean<T>> = true;

/// The same sum as in 8 parts, of a run of any length. They are a vector, since GCC keeps an array of them in
/// memory and, after a rest of fewer than 8 values, waits for it.
template <typename T>
T sum_in_vector(const T* values, std::int64_t length) {
  typedef T Parts __attribute__((vector_size(8 * sizeof(T))));
  using Lane = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  typedef Lane Lanes __attribute__((vector_size(8 * sizeof(T))));
  Parts parts{};
  std::int64_t done = 0;
  for (; done + 8 <= length; done += 8) {
    prefetch_ahead<sizeof parts>(values + done);
    Parts next;
    __builtin_memcpy(&next, values + done, sizeof next);
    parts += next;
  }
  if (const auto rest = static_cast<Lane>(length - done); rest > 0) {
    const auto at = [&](Lane lane) { return values[done + (lane < rest ? lane : 0)]; };
    const Parts last{at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7)};
    parts = Lanes{0, 1, 2, 3, 4, 5, 6, 7} < rest ? parts + last : parts;
  }
  parts += __builtin_shufflevector(parts, parts, 4, 5, 6, 7, 0, 1, 2, 3);
  parts += __builtin_shufflevector(parts, parts, 2, 3, 0, 1, 6, 7, 4, 5);
  return parts[0] + parts[1];
}

template <typename F, typename T>
typename F::State reduce_run(const T* values, std::int64_t length, std::int64_t index, F f = {}) {
  if constexpr (requires { typename F::Value; }) {
    // The extremum without its position vectorises; a search for it is short.
    const T best = reduce_run<typename F::Value, T>(values, length, index);
    std::int64_t at = 0;
    while (at < length && !F::same(values[at], best)) ++at;
    return {best, index + at};
  } else if constexpr (requires { typename F::Pivot; }) {
    using Pivot = typename F::Pivot;
    using Terms = SumOfTerms<T, typename F::Term>;
    const T pivot = Pivot::finish(reduce_run<Pivot, T>(values, length, index), length);
    const T sum = reduce_run<Terms, T>(values, length, index, Terms{{}, {pivot}});
    if constexpr (requires { typename F::Rest; }) {
      using Rests = SumOfTerms<T, typename F::Rest>;
      if (F::needs_rest(pivot, sum, length))
        return F::from_terms(pivot, sum, length,
                             reduce_run<Rests, T>(values, length, index, Rests{{}, {pivot}}));
    }
    return F::from_terms(pivot, sum, length);
  } else if constexpr (kAddsReals<F>) {
    return length < 128 ? sum_in_vector(values, length) : run_in_parts<F, T, 64>(values, length, index, f);
  } else {
    return length < 128 ? run_in_parts<F, T, 8>(values, length, index, f)
                        : run_in_parts<F, T, 64>(values, length, index, f);
  }
}

/// Parts are merged pairwise.
template <typename F, typename T>
typename F::State reduce_long_run(const T* values, std::int64_t length, std::int64_t index) {
  typename F::State parts[kRunParts];
  std::int64_t count = 0;
  for (std::int64_t done = 0; done < length; done += kRunPart) {
    const std::int64_t rest = length - done;
    parts[count++] = reduce_run<F, T>(values + done, rest < kRunPart ? rest : kRunPart, index + done);
  }
  while (count > 1) {
    const std::int64_t half = (count + 1) / 2;
    for (std::int64_t p = half; p < count; ++p) parts[p - half] = F::merge(parts[p - half], parts[p]);
    count = half;
  }
  return parts[0];
}

template <typename F, typename T>
void runs(void* states, const void* values, std::int64_t count, std::int64_t pitch, std::int64_t length,
          std::int64_t index) {
  auto* to = static_cast<typename F::State*>(states);
  const auto* from = static_cast<const T*>(values);
  if (length <= kRunPart) {
    for (std::int64_t r = 0; r < count; ++r) to[r] = reduce_run<F, T>(from + r * pitch, length, index);
  } else {
    for (std::int64_t r = 0; r < count; ++r) to[r] = reduce_long_run<F, T>(from + r * pitch, length, index);
  }
}

template <typename F, typename T>
void rows(void* states, const void* values, std::int64_t count, std::int64_t pitch, std::int64_t length,
          std::int64_t index) {
  auto* to = static_cast<typename F::State*>(states);
  for (std::int64_t r = 0; r < count; ++r) {
    const auto* from = static_cast<const T*>(values) + r * pitch;
    LECTERN_INDEPENDENT
    for (std::int64_t i = 0; i < length; ++i) to[i] = F::absorb(to[i], from[i], index + r);
  }
}

template <typename F, typename T>
void merge(void* states, const void* others, std::int64_t count) {
  auto* to = static_cast<typename F::State*>(states);
  const auto* from = static_cast<const typename F::State*>(others);
  LECTERN_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) to[i] = F::merge(to[i], from[i]);
}

template <typename F, typename T>
void finish(void* values, const void* states, std::int64_t count, std::int64_t elements) {
  auto* to = static_cast<T*>(values);
  const auto* from = static_cast<const typename F::State*>(states);
  for (std::int64_t i = 0; i < count; ++i) to[i] = F::finish(from[i], elements);
}

template <typename F, typename T>
void positions(std::int64_t* to, const void* states, std::int64_t count) {
  const auto* from = static_cast<const typename F::State*>(states);
  for (std::int64_t i = 0; i < count; ++i) to[i] = F::position(from[i]);
}

template <template <typename> typename Functor, typename T>
constexpr ReductionBlocks blocks() {
  if constexpr (requires { typename Functor<T>::State; }) {
    using F = Functor<T>;
    static_assert(sizeof(typename F::State) <= kLargestState);
    ReductionBlocks made{
        sizeof(typename F::State), start<F, T>, runs<F, T>, rows<F, T>, merge<F, T>, finish<F, T>, nullptr};
    if constexpr (requires(typename F::State state) { F::position(state); }) made.positions = positions<F, T>;
    return made;
  } else {
    return {};
  }
}

}  // namespace

constinit const ReductionKernels reduction_kernels = {{
#define LECTERN_ROW(name, Functor, autocast) \
  {blocks<Functor, float>(), blocks<Functor, double>(), blocks<Functor, std::int64_t>()},
    LECTERN_REDUCTIONS(LECTERN_ROW)
#undef LECTERN_ROW
}};

}  // namespace lectern::kernels::cpu::LECTERN_ISA
