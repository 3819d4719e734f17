#include "kernels/cuda/launch_phases.h"
#include "kernels/cuda/line_access.h"
#include "kernels/cuda/table.h"
#include "kernels/gradient_norms.h"

namespace lectern::kernels::cuda {
namespace {

struct ArrayRow {
  std::byte* data;
  Dtype dtype;
  std::int64_t numel, first_chunk;
};

/// Calls visit(elements) with those from `begin` on.
template <typename Visit>
LECTERN_HD void visit_elements(const ArrayRow& row, std::int64_t begin, const Visit& visit) {
  const std::int64_t step = element_size(row.dtype);
  std::byte* const data = row.data + begin * step;
  if (reinterpret_cast<std::uintptr_t>(data) % kPackBytes != 0) {
    if (row.dtype == float64) return visit(StridedRow<double>{data, step, row.dtype});
    return visit(StridedRow<float>{data, step, row.dtype});
  }
  if (row.dtype == float64) return visit(PackedRow<double>{reinterpret_cast<double*>(data)});
  if (row.dtype == float32) return visit(PackedRow<float>{reinterpret_cast<float*>(data)});
  if (row.dtype == float16) return visit(PackedRow<Half>{reinterpret_cast<Half*>(data)});
  visit(PackedRow<BFloat16>{reinterpret_cast<BFloat16*>(data)});
}

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

    /// Calls visit(elements of a chunk, count).
    template <typename Visit>
    LECTERN_HD void visit(std::int64_t chunk, const Visit& visit) const {
      const ArrayRow& row = rows[find_row(rows, count, chunk)];
      const std::int64_t begin = (chunk - row.first_chunk) * kArrayChunk;
      const std::int64_t length = row.numel - begin < kArrayChunk ? row.numel - begin : kArrayChunk;
      visit_elements(row, begin, [&](const auto& values) { visit(values, length); });
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

/// One block per chunk.
struct PartKernel {
  ArrayTable::View arrays;
  TotalNorm kind;
  double* parts;

  template <typename Group>
  LECTERN_HD void operator()(const Group& group, std::int64_t chunk) const {
    arrays.visit(chunk, [&](const auto& values, std::int64_t count) {
      const double part = norm_part(group, count, kind, values);
      if (group.rank() == 0) parts[chunk] = part;
    });
  }
};

/// One block.
struct TotalKernel {
  TotalNorm kind;
  double* parts;
  std::int64_t chunks;
  void* total;
  Dtype dtype;

  template <typename Group>
  LECTERN_HD void operator()(const Group& group, std::int64_t) const {
    const double norm = norm_from_parts(group, chunks, kind, PackedRow<double>{parts});
    if (group.rank() == 0) store(total, dtype, norm);
  }
};

template <RealComputeType C>
struct TimesFactor {
  C factor;
  LECTERN_HD C operator()(C x) const { return x * factor; }
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
    arrays.visit(chunk, [&]<typename Row>(const Row& values, std::int64_t count) {
      using C = typename Row::Value;
      map_row(group, count, values, TimesFactor<C>{static_cast<C>(factor)}, values);
    });
  }
};

/// Launches the two phases of a norm and those that follow.
template <typename... Kernels>
void launch_norm(TotalNorm kind, const ArrayTable& table, void* total, Dtype dtype,
                 const Phase<Kernels>&... more) {
  const Scratch parts(static_cast<std::size_t>(table.chunks()) * sizeof(double));
  auto* const chunk_norms = static_cast<double*>(parts.data());
  launch_phases(Phase{table.chunks(), PartKernel{table.view(), kind, chunk_norms}},
                Phase{1, TotalKernel{kind, chunk_norms, table.chunks(), total, dtype}}, more...);
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
