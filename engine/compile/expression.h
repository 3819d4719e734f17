#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "device/counters.h"
#include "kernels/fused.h"
#include "tensor/sizes.h"
#include "tensor/storage.h"

namespace lectern::fusion {

class Expression;

/// What an expression reads, seen in the shape that it is computed over: the elements of another expression,
/// of a tensor in memory, or one number.
struct ExpressionOperand {
  std::shared_ptr<const Expression> expression = {};
  Storage storage = {};  ///< of a tensor in memory
  std::uint64_t version = 0;
  std::int64_t offset = 0;
  Dtype dtype = float32;
  Sizes strides = {};
  bool is_number = false;
  kernels::FusedNumber number = {};
  std::int64_t nbytes = 0;  ///< as counted; of a C++ scalar 0

  /// Of an operand seen in these sizes. A TensorError if the tensor was changed in place since it was
  /// recorded.
  const std::byte* address(const Sizes& sizes) const;
};

/// How strides over a shape, of elements that are contiguous in a shape of their own, relate the two.
struct Relation {
  enum class Kind : std::uint8_t { same, repeated, other };
  Kind kind;
  std::int64_t columns = 1;  ///< repeated: so many times in a row, each
};
Relation relate(const Sizes& sizes, const Sizes& strides, std::int64_t elements);

/// The longest chain of expressions without memory. Deeper ones are stored, which bounds what a backward pass
/// computes again.
inline constexpr int kMostLevels = 48;

/// A recorded operation, whose elements may be computed when they are needed, or never: what reads them can
/// compute them again. Its value never changes.
class Expression final : public DeferredElements {
 public:
  /// `computing` is locked while elements of the recording are computed: another thread may need them, too.
  Expression(const kernels::FusedOperation& recorded, Device on, std::shared_ptr<std::mutex> computing);

  kernels::FusedOperation operation;
  Device device;
  Sizes sizes = {};   ///< over which it is computed: of a reduction, the operand's
  Sizes result = {};  ///< of its elements
  std::int64_t numel = 0;
  std::int64_t columns = 0;              ///< of a row that is reduced: trailing dimensions; 0: others
  std::int64_t kept_columns = 0;         ///< of rows that are reduced: leading dimensions; 0: others
  std::array<bool, kMaxDims> over = {};  ///< the dimensions that a reduction reduces
  mutable std::array<ExpressionOperand, 3> in = {};
  std::size_t operands = 0;
  std::int64_t flops = 0;
  std::uint64_t id = 0;  ///< larger than its operands'
  int level = 1;         ///< the longest chain of expressions without memory that ends here
  bool is_counted = !is_uncounted();

  std::int64_t nbytes() const { return numel * element_size(operation.result); }
  /// What the operation moves when it runs alone.
  std::int64_t eager_bytes() const;

  /// Its elements in memory; null if they are not, or no longer. A TensorError if they were changed in place
  /// and the operands are forgotten.
  const std::byte* memory() const;
  void set_memory(const Storage& storage) const;
  /// Frees what it reads, once its elements are in memory.
  void forget_operands() const;

  /// Of this thread's recorder, or alone.
  void compute(const Storage& storage) override;

 private:
  std::shared_ptr<std::mutex> computing_;
  mutable Storage memory_;
  mutable std::uint64_t version_ = 0;
  mutable std::atomic<bool> has_memory_ = false;
  mutable bool is_forgetful_ = false;
};

/// The deferred elements of a storage; null if it has none.
std::shared_ptr<const Expression> expression_of(const Storage& storage);

}  // namespace lectern::fusion
