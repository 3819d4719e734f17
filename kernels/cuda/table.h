#pragma once

#include <cstddef>
#include <vector>

#include "kernels/chunks.h"
#include "kernels/cuda/scratch.h"

namespace lectern::kernels::cuda {

/// Rows that one launch reads, in GPU memory, in stream order. The host does not wait.
template <typename Row>
class Table {
 public:
  explicit Table(const std::vector<Row>& rows)
      : count_(static_cast<std::int64_t>(rows.size())), memory_(rows.size() * sizeof(Row)) {
    memory_.fill(rows.data());
  }

  Row* rows() const { return static_cast<Row*>(memory_.data()); }
  std::int64_t count() const { return count_; }

 private:
  std::int64_t count_;
  Scratch memory_;
};

/// The row whose array has this chunk (kernels/chunks.h); each has its first_chunk.
template <typename Row>
LECTERN_HD std::int64_t find_row(const Row* rows, std::int64_t count, std::int64_t chunk) {
  return find_array(count, chunk, [rows](std::int64_t i) { return rows[i].first_chunk; });
}

}  // namespace lectern::kernels::cuda
