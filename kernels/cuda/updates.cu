#include <algorithm>

#include "kernels/cuda/elements.h"
#include "kernels/cuda/launch_phases.h"
#include "kernels/cuda/table.h"
#include "kernels/updates.h"

namespace lectern::kernels::cuda {
namespace {

template <typename Functor, typename T>
struct UpdateRow {
  using C = Compute<T>;

  T* parameter;
  const T* grad;
  T* states[kMostStates];
  std::int64_t numel, first_chunk;
  float* step;
  typename Functor::Settings settings;
  Functor functor;
  C factor;
  bool packed;  ///< all arrays are aligned to packs
};

/// Increments a step count that is on the GPU.
template <typename Row>
struct CountKernel {
  Row* rows;
  std::int64_t count;
  GradScale scale;

  template <typename Group>
  LECTERN_HD void operator()(const Group& group, std::int64_t index) const {
    const std::int64_t i = index * group.size() + group.rank();
    if (i >= count || scale.skips()) return;
    Row& row = rows[i];
    if (row.step == nullptr) return;
    *row.step += 1;
    row.functor = decltype(row.functor)(row.settings, static_cast<double>(*row.step));
  }
};

/// One block per chunk of a parameter.
template <typename Functor, typename T>
struct UpdateKernel {
  using Row = UpdateRow<Functor, T>;
  using C = Compute<T>;

  const Row* rows;
  std::int64_t count;
  GradScale scale;

  template <int kCount>
  LECTERN_HD static void update(const Row& row, C factor, std::int64_t at) {
    using Values = Pack<T, kCount>;
    Values parameter = *reinterpret_cast<const Values*>(row.parameter + at);
    const Values grad = *reinterpret_cast<const Values*>(row.grad + at);
    Values states[kMostStates];
    for (int k = 0; k < Functor::kStates; ++k) {
      states[k] = *reinterpret_cast<const Values*>(row.states[k] + at);
    }
    for (int i = 0; i < kCount; ++i) {
      C p = static_cast<C>(parameter.value[i]);
      C p_states[kMostStates];
      for (int k = 0; k < Functor::kStates; ++k) p_states[k] = static_cast<C>(states[k].value[i]);
      row.functor(p, factor * static_cast<C>(grad.value[i]), p_states);
      parameter.value[i] = convert_number<T>(p);
      for (int k = 0; k < Functor::kStates; ++k) states[k].value[i] = convert_number<T>(p_states[k]);
    }
    *reinterpret_cast<Values*>(row.parameter + at) = parameter;
    for (int k = 0; k < Functor::kStates; ++k) *reinterpret_cast<Values*>(row.states[k] + at) = states[k];
  }

  /// Returns where the elements begin that make no whole pack.
  template <typename Group>
  LECTERN_HD static std::int64_t update_packs(const Group& group, const Row& row, C factor,
                                              std::int64_t begin, std::int64_t end) {
    const std::int64_t packs = (end - begin) / kPacked<T>;
    for (std::int64_t i = group.rank(); i < packs; i += group.size()) {
      update<kPacked<T>>(row, factor, begin + i * kPacked<T>);
    }
    return begin + packs * kPacked<T>;
  }

  template <typename Group>
  LECTERN_HD void operator()(const Group& group, std::int64_t chunk) const {
    if (scale.skips()) return;
    // A copy: what is in memory would be read again after every store.
    const Row row = rows[find_row(rows, count, chunk)];
    const C factor = row.factor * static_cast<C>(scale.factor());
    std::int64_t begin = (chunk - row.first_chunk) * kArrayChunk;
    const std::int64_t end = begin + kArrayChunk < row.numel ? begin + kArrayChunk : row.numel;
    if (row.packed) begin = update_packs(group, row, factor, begin, end);
    LECTERN_ROLLED
    for (std::int64_t i = begin + group.rank(); i < end; i += group.size()) update<1>(row, factor, i);
  }
};

template <typename Functor, typename T>
UpdateRow<Functor, T> make_row(const Update& update, std::int64_t first_chunk) {
  const auto& settings = *static_cast<const typename Functor::Settings*>(update.settings);
  UpdateRow<Functor, T> row{static_cast<T*>(update.parameter),
                            static_cast<const T*>(update.grad),
                            {},
                            update.numel,
                            first_chunk,
                            update.count.on_gpu,
                            settings,
                            Functor(settings, update.count.step),
                            static_cast<Compute<T>>(update.factor),
                            is_aligned(update.parameter, kPackBytes) && is_aligned(update.grad, kPackBytes)};
  for (int k = 0; k < Functor::kStates; ++k) {
    row.states[k] = static_cast<T*>(update.states[k]);
    row.packed = row.packed && is_aligned(row.states[k], kPackBytes);
  }
  return row;
}

template <typename Functor, typename T>
void launch_update(std::span<const Update> updates, const GradScale& scale) {
  using Row = UpdateRow<Functor, T>;
  std::vector<Row> rows;
  std::int64_t chunks = 0;
  for (const Update& update : updates) {
    rows.push_back(make_row<Functor, T>(update, chunks));
    chunks += count_chunks(update.numel);
  }
  const Table<Row> table(rows);
  const UpdateKernel<Functor, T> kernel{table.rows(), table.count(), scale};
  const CountKernel<Row> count{table.rows(), table.count(), scale};
  const auto counts = [](const Row& row) { return row.step != nullptr; };
  if (std::any_of(rows.begin(), rows.end(), counts)) {
    // One launch where gradient scaling counts steps: for parameters in float32.
    const std::int64_t blocks = blocks_for(table.count());
    if constexpr (std::is_same_v<T, float>) return launch_phases(Phase{blocks, count}, Phase{chunks, kernel});
    launch_blocks(blocks, count);
  }
  launch_blocks(chunks, kernel);
}

}  // namespace

void update_parameters(UpdateRule rule, Dtype dtype, std::span<const Update> updates,
                       const GradScale& scale) {
  if (updates.empty()) return;
  dispatch_real(dtype, [&]<typename T>(std::type_identity<T>) {
    switch (rule) {
#define LECTERN_ROW(name, Functor) \
  case UpdateRule::name:           \
    return launch_update<Functor<Compute<T>>, T>(updates, scale);
      LECTERN_UPDATES(LECTERN_ROW)
#undef LECTERN_ROW
    }
  });
}

}  // namespace lectern::kernels::cuda
