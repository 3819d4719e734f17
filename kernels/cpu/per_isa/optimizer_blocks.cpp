#include "kernels/cpu/optimizer_blocks.h"

#include "kernels/cpu/cache.h"
#include "kernels/cpu/run.h"

namespace lectern::kernels::cpu::LECTERN_ISA {
namespace {

/// The elements `begin` … `end` - 1.
template <typename Functor, typename T>
LECTERN_HD void update_elements(const Functor& functor, T factor, const UpdateBlock<T>& block,
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

/// Elements prefetched at a time.
constexpr std::int64_t kChunk = 64;

/// Calls work(begin, end) for the elements below `count`, chunk by chunk, each after fetch(begin).
template <typename Fetch, typename Work>
LECTERN_HD void for_each_chunk(std::int64_t count, const Fetch& fetch, const Work& work) {
  std::int64_t at = 0;
  for (; at + kChunk <= count; at += kChunk) {
    fetch(at);
    work(at, at + kChunk);
  }
  work(at, count);
}

template <typename Functor, typename T>
void update(const UpdateBlock<T>& block, const Update& arrays) {
  const Functor functor(*static_cast<const typename Functor::Settings*>(arrays.settings), arrays.count.step);
  const T factor = static_cast<T>(arrays.factor);
  const auto fetch = [&](std::int64_t at) {
    prefetch_ahead<kChunk * sizeof(T)>(block.parameter + at);
    prefetch_ahead<kChunk * sizeof(T)>(block.grad + at);
    for (int k = 0; k < Functor::kStates; ++k) prefetch_ahead<kChunk * sizeof(T)>(block.states[k] + at);
  };
  for_each_chunk(block.count, fetch, [&](std::int64_t begin, std::int64_t end) {
    update_elements(functor, factor, block, begin, end);
  });
}

template <typename T>
double array_norm_part(TotalNorm kind, const T* values, std::int64_t count) {
  return norm_part(Alone{}, count, kind, make_run(values).before_next(count));
}

double total(TotalNorm kind, const double* parts, std::int64_t count) {
  return norm_from_parts(Alone{}, count, kind, make_run(parts));
}

template <typename T>
void scale(T* values, T factor, std::int64_t count) {
  const auto fetch = [&](std::int64_t at) { prefetch_ahead<kChunk * sizeof(T)>(values + at); };
  for_each_chunk(count, fetch, [=](std::int64_t begin, std::int64_t end) {
    LECTERN_INDEPENDENT
    for (std::int64_t i = begin; i < end; ++i) values[i] *= factor;
  });
}

template <typename T>
void add_squares(const T* values, T factor, std::int64_t count, T* sums) {
  LECTERN_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) {
    const T scaled = factor * values[i];
    sums[i] += scaled * scaled;
  }
}

template <typename T>
void inverse_roots(const T* averages, std::int64_t count, T* roots) {
  LECTERN_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) roots[i] = inverse_root(averages[i]);
}

template <typename T>
struct AdafactorDelta {
  T factor;
  LECTERN_HD T operator()(T grad, T root) const { return factor * grad * root; }
};

template <typename T>
double update_squares(const AdafactorRow<T>& row) {
  const AdafactorDelta<T> delta{row.factor};
  const auto in_double = [=](T grad, T root) { return static_cast<double>(delta(grad, root)); };
  return fold_row<Norm2<double>>(Alone{}, row.count, in_double, make_run(row.grad), make_run(row.roots));
}

template <typename T>
void adafactor(const AdafactorChange<T>& change, const AdafactorRow<T>& row, T* parameter, T* updates) {
  const AdafactorDelta<T> delta{row.factor};
  if (updates == nullptr) {
    LECTERN_INDEPENDENT
    for (std::int64_t i = 0; i < row.count; ++i) {
      parameter[i] = change(parameter[i], delta(row.grad[i], row.roots[i]));
    }
  } else {
    LECTERN_INDEPENDENT
    for (std::int64_t i = 0; i < row.count; ++i) {
      parameter[i] = change(parameter[i], delta(row.grad[i], row.roots[i]), updates[i]);
    }
  }
}

template <typename T>
constexpr RealOptimizerBlocks<T> blocks() {
  return {.update =
              {
#define LECTERN_ROW(name, Functor) update<Functor<T>, T>,
                  LECTERN_UPDATES(LECTERN_ROW)
#undef LECTERN_ROW
              },
          .norm_part = array_norm_part<T>,
          .scale = scale<T>,
          .add_squares = add_squares<T>,
          .inverse_roots = inverse_roots<T>,
          .update_squares = update_squares<T>,
          .adafactor = adafactor<T>};
}

}  // namespace

constinit const OptimizerBlocks optimizer_blocks = {{blocks<float>(), blocks<double>()}, total};

}  // namespace lectern::kernels::cpu::LECTERN_ISA
