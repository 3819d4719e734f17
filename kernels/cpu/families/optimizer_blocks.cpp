#include "kernels/cpu/optimizer_blocks.h"

#include "kernels/cpu/cache.h"
#include "kernels/cpu/run.h"

namespace lectern::kernels::LECTERN_ISA {
namespace {

template <typename T>
LECTERN_HD Run<T> run(const T* data) {
  return {const_cast<T*>(data)};
}

/// The numbers from `begin` to `end` - 1.
template <typename Functor, typename T>
LECTERN_HD void update_numbers(const Functor& functor, T factor, const UpdateBlock<T>& block,
                               std::int64_t begin, std::int64_t end) {
  T* const parameter = block.parameter;
  const T* const grad = block.grad;
  LECTERN_INDEPENDENT
  for (std::int64_t i = begin; i < end; ++i) {
    T states[kMostStates];
    for (int k = 0; k < Functor::kStates; ++k) states[k] = block.states[k][i];
    functor(parameter[i], factor * grad[i], states);
    for (int k = 0; k < Functor::kStates; ++k) block.states[k][i] = states[k];
  }
}

/// So many numbers are fetched ahead at a time.
constexpr std::int64_t kChunk = 64;

/// Calls work(begin, end) for the numbers below `count`, chunk by chunk, each after fetch(begin).
template <typename Fetch, typename Work>
LECTERN_HD void in_chunks(std::int64_t count, const Fetch& fetch, const Work& work) {
  std::int64_t at = 0;
  for (; at + kChunk <= count; at += kChunk) {
    fetch(at);
    work(at, at + kChunk);
  }
  work(at, count);
}

template <typename Functor, typename T>
void update(const UpdateBlock<T>& block, const Update& of) {
  const Functor functor(*static_cast<const typename Functor::Settings*>(of.settings), of.step);
  const T factor = static_cast<T>(of.factor);
  const auto fetch = [&](std::int64_t at) {
    prefetch_ahead<kChunk * sizeof(T)>(block.parameter + at);
    prefetch_ahead<kChunk * sizeof(T)>(block.grad + at);
    for (int k = 0; k < Functor::kStates; ++k) prefetch_ahead<kChunk * sizeof(T)>(block.states[k] + at);
  };
  in_chunks(block.count, fetch, [&](std::int64_t begin, std::int64_t end) {
    update_numbers(functor, factor, block, begin, end);
  });
}

template <typename T>
double norm_part_of(TotalNorm kind, const T* numbers, std::int64_t count) {
  return norm_part(Alone{}, count, kind, run(numbers).before_next(count));
}

double total(TotalNorm kind, const double* parts, std::int64_t count) {
  return norm_of_parts(Alone{}, count, kind, run(parts));
}

template <typename T>
void scale(T* numbers, T factor, std::int64_t count) {
  const auto fetch = [&](std::int64_t at) { prefetch_ahead<kChunk * sizeof(T)>(numbers + at); };
  in_chunks(count, fetch, [=](std::int64_t begin, std::int64_t end) {
    LECTERN_INDEPENDENT
    for (std::int64_t i = begin; i < end; ++i) numbers[i] *= factor;
  });
}

template <typename T>
constexpr OptimizerBlocksOf<T> blocks() {
  return {.update =
              {
#define LECTERN_ROW(name, Functor) update<Functor<T>, T>,
                  LECTERN_UPDATES(LECTERN_ROW)
#undef LECTERN_ROW
              },
          .norm_part = norm_part_of<T>,
          .scale = scale<T>};
}

}  // namespace

constinit const OptimizerBlocks optimizer_blocks = {blocks<float>(), blocks<double>(), total};

}  // namespace lectern::kernels::LECTERN_ISA
