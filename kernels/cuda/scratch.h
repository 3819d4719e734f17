#pragma once

#include <cstddef>

namespace lectern {
class Allocator;
}

namespace lectern::kernels::cuda {

/// Workspace for one operation on the current stream: work enqueued there may use the block, though the host
/// frees it at once.
class Scratch {
 public:
  explicit Scratch(std::size_t bytes);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

  /// Fills it from host memory, in stream order. The host does not wait, and may change the source at once.
  void fill(const void* from) const;

 private:
  Allocator& allocator_;
  std::size_t bytes_;
  void* data_;
};

}  // namespace lectern::kernels::cuda
