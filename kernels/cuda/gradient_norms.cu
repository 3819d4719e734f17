#include "kernels/cuda/elements.h"
#include "kernels/cuda/launch_phases.h"
#include "kernels/cuda/pack_access.h"
#include "kernels/cuda/table.h"
#include "kernels/gradient_norms.h"

namespace lectern::kernels::cuda {
namespace {

struct ArrayRow {
  std::byte* data;
  Dtype dtype;
  std::int64_t numel, first_chunk;
};

/// Elements of a chunk. All packs are aligned, or none is taken.
template <typename T>
struct ChunkElements {
  T* data;
  std::int64_t count;
  std::int64_t packs;

  LECTERN_HD ChunkElements(std::byte* array, std::int64_t begin, std::int64_t length)
      : data(reinterpret_cast<T*>(array) + begin),
        count(length),
        packs(reinterpret_cast<std::uintptr_t>(data) % kPackBytes == 0 ? length / kPacked<T> : 0) {}
};

/// All arrays, in GPU memory.
class ArrayTable {
 public:
  explicit ArrayTable(std::span<const DenseArray> arrays) : table_(make_rows(arrays)) {
    for (const DenseArray& array : arrays) chunks_ += count_chunks(array.numel);
  }

  /// For kernels, while the table lives.
  struct View {
    const ArrayRow* rows;
    std::int64_t count;

    /// Calls visit(ChunkElements of a chunk).
    template <typename Visit>
    LECTERN_HD void visit(std::int64_t chunk, const Visit& visit) const {
      const ArrayRow row = rows[find_row(rows, count, chunk)];
      const std::int64_t begin = (chunk - row.first_chunk) * kArrayChunk;
      const std::int64_t length = row.numel - begin < kArrayChunk ? row.numel - begin : kArrayChunk;
      if (row.dtype == float64) return visit(ChunkElements<double>(row.data, begin, length));
      if (row.dtype == float32) return visit(ChunkElements<float>(row.data, begin, length));
      if (row.dtype == float16) return visit(ChunkElements<Half>(row.data, begin, length));
      visit(ChunkElements<BFloat16>(row.data, begin, length));
    }
  };
  View view() const { return {table_.rows(), table_.count()}; }
  std::int64_t chunks() const { return chunks_; }

 private:
  static std::vector<ArrayRow> make_rows(std::span<const DenseArray> arrays) {
    std::vector<ArrayRow> rows;
    std::int64_t chunk = 0;
    for (const DenseArray& array : arrays) {
      rows.push_back({static_cast<std::byte*>(array.data), array.dtype, array.numel, chunk});
      chunk += count_chunks(array.numel);
    }
    return rows;
  }

  Table<ArrayRow> table_;
  std::int64_t chunks_ = 0;
};

/// Calls visit(index, pack) with the packs of a thread, several of which are on their way at once.
template <typename Group, typename T, typename Visit>
LECTERN_HD void for_packs(const Group& group, const ChunkElements<T>& elements, const Visit& visit) {
  constexpr int kAhead = 4;
  for (std::int64_t first = group.rank(); first < elements.packs; first += kAhead * group.size()) {
    RawPack packs[kAhead] = {};
    LECTERN_UNROLLED
    for (int a = 0; a < kAhead; ++a) {
      const std::int64_t i = first + a * group.size();
      if (i < elements.packs) packs[a] = read_pack(elements.data + i * kPacked<T>);
    }
    LECTERN_UNROLLED
    for (int a = 0; a < kAhead; ++a) {
      const std::int64_t i = first + a * group.size();
      if (i < elements.packs) visit(i, packs[a]);
    }
  }
}

/// The state of a reduction over elements as doubles, for every thread of a group.
template <typename Functor, typename Group, typename T>
LECTERN_HD double fold(const Group& group, const ChunkElements<T>& elements) {
  constexpr int kStates = kPacked<T> < 4 ? kPacked<T> : 4;  // additions that need not wait for each other
  double states[kStates];
  for (double& state : states) state = Functor::start();
  for_packs(group, elements, [&](std::int64_t, const RawPack& pack) {
    LECTERN_UNROLLED
    for (int j = 0; j < kPacked<T>; ++j) {
      double& state = states[j % kStates];
      state = Functor::absorb(state, static_cast<double>(pack.number<T>(j)), 0);
    }
  });
  LECTERN_ROLLED
  for (std::int64_t i = elements.packs * kPacked<T> + group.rank(); i < elements.count; i += group.size()) {
    states[0] = Functor::absorb(states[0], static_cast<double>(static_cast<Compute<T>>(elements.data[i])), 0);
  }
  for (int j = 1; j < kStates; ++j) states[0] = Functor::merge(states[0], states[j]);
  return group.reduce(states[0], MergeStates<Functor>{});
}

/// One block per chunk.
template <typename Functor>
struct PartKernel {
  ArrayTable::View arrays;
  double* parts;

  template <typename Group>
  LECTERN_HD void operator()(const Group& group, std::int64_t chunk) const {
    arrays.visit(chunk, [&](const auto& elements) {
      const double part = fold<Functor>(group, elements);
      if (group.rank() == 0) parts[chunk] = part;
    });
  }
};

/// What merges the parts.
template <typename Functor>
using Merged = std::conditional_t<std::is_same_v<Functor, MaxAbs<double>>, MaxAbs<double>, Sum<double>>;

/// One block.
template <typename Functor>
struct TotalKernel {
  double* parts;
  std::int64_t chunks;
  void* total;
  Dtype dtype;

  template <typename Group>
  LECTERN_HD void operator()(const Group& group, std::int64_t) const {
    const ChunkElements<double> elements(reinterpret_cast<std::byte*>(parts), 0, chunks);
    const double sum = fold<Merged<Functor>>(group, elements);
    const double norm = std::is_same_v<Functor, Norm2<double>> ? math::sqrt(sum) : sum;
    if (group.rank() == 0) store(total, dtype, norm);
  }
};

/// One block per chunk.
struct ClipKernel {
  ArrayTable::View arrays;
  double max_norm;
  const void* total;
  Dtype dtype;

  template <typename Group>
  LECTERN_HD void operator()(const Group& group, std::int64_t chunk) const {
    const double factor = clip_factor(load<double>(total, dtype), max_norm);
    if (factor == 1) return;
    arrays.visit(chunk, [&](const auto& elements) { scale(group, elements, factor); });
  }

 private:
  template <typename Group, typename T>
  LECTERN_HD static void scale(const Group& group, const ChunkElements<T>& elements, double by) {
    using C = Compute<T>;
    const C factor = static_cast<C>(by);
    for_packs(group, elements, [&](std::int64_t i, const RawPack& pack) {
      Pack<T> scaled;  // not a RawPack, whose words the compiler would store one by one here
      LECTERN_UNROLLED
      for (int j = 0; j < kPacked<T>; ++j) scaled.value[j] = convert_number<T>(pack.number<T>(j) * factor);
      reinterpret_cast<Pack<T>*>(elements.data)[i] = scaled;
    });
    LECTERN_ROLLED
    for (std::int64_t i = elements.packs * kPacked<T> + group.rank(); i < elements.count; i += group.size()) {
      elements.data[i] = convert_number<T>(static_cast<C>(elements.data[i]) * factor);
    }
  }
};

/// Launches the two phases of a norm and those that follow.
template <typename... Kernels>
void launch_norm(TotalNorm kind, const ArrayTable& table, void* total, Dtype dtype,
                 const Phase<Kernels>&... more) {
  const Scratch parts(static_cast<std::size_t>(table.chunks()) * sizeof(double));
  auto* const chunk_norms = static_cast<double*>(parts.data());
  const auto launch = [&]<typename Functor>(std::type_identity<Functor>) {
    launch_phases(Phase{table.chunks(), PartKernel<Functor>{table.view(), chunk_norms}},
                  Phase{1, TotalKernel<Functor>{chunk_norms, table.chunks(), total, dtype}}, more...);
  };
  if (kind == TotalNorm::one) return launch(std::type_identity<SumAbs<double>>{});
  if (kind == TotalNorm::two) return launch(std::type_identity<Norm2<double>>{});
  launch(std::type_identity<MaxAbs<double>>{});
}

}  // namespace

void total_norm(TotalNorm kind, std::span<const DenseArray> arrays, void* total, Dtype dtype) {
  launch_norm(kind, ArrayTable(arrays), total, dtype);
}

void clip_by_norm(TotalNorm kind, std::span<const DenseArray> arrays, double max_norm, void* total,
                  Dtype dtype) {
  const ArrayTable table(arrays);
  launch_norm(kind, table, total, dtype,
              Phase{table.chunks(), ClipKernel{table.view(), max_norm, total, dtype}});
}

void clip(std::span<const DenseArray> arrays, double max_norm, const void* total, Dtype dtype) {
  const ArrayTable table(arrays);
  launch_blocks(table.chunks(), ClipKernel{table.view(), max_norm, total, dtype});
}

}  // namespace lectern::kernels::cuda
