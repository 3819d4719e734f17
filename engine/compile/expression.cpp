#include "compile/expression.h"

#include <string>
#include <utility>

#include "base/tensor_error.h"
#include "compile/evaluate.h"
#include "compile/recorder.h"

namespace lectern::fusion {
namespace {

std::atomic<std::uint64_t> last_expression{0};

[[noreturn]] void throw_changed(const Sizes& sizes, std::uint64_t version, std::uint64_t recorded) {
  throw TensorError("compile",
                    "a tensor of shape " + to_string(sizes) +
                        ", from which a gradient is computed again, was modified in place: it is at "
                        "version " +
                        std::to_string(version) + ", not " + std::to_string(recorded) +
                        "; change a clone() of it, or use the operation that returns a new tensor");
}

}  // namespace

const std::byte* ExpressionOperand::address(const Sizes& sizes) const {
  if (storage.version() != version) throw_changed(sizes, storage.version(), version);
  return static_cast<const std::byte*>(storage.data_ptr()) + offset * element_size(dtype);
}

Relation relate(const Sizes& sizes, const Sizes& strides, std::int64_t elements) {
  Relation relation{Relation::Kind::same};
  std::int64_t packed = 1;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    if (sizes[i] == 1) continue;
    if (strides[i] == 0 && packed == 1) {
      relation.kind = Relation::Kind::repeated;
      relation.columns *= sizes[i];
    } else if (strides[i] == packed) {
      packed *= sizes[i];
    } else {
      return {Relation::Kind::other};
    }
  }
  return packed == elements ? relation : Relation{Relation::Kind::other};
}

Expression::Expression(const kernels::FusedOperation& recorded, Device on,
                       std::shared_ptr<std::mutex> computing)
    : operation(recorded),
      device(on),
      id(last_expression.fetch_add(1, std::memory_order_relaxed) + 1),
      computing_(std::move(computing)) {}

std::int64_t Expression::eager_bytes() const {
  std::int64_t bytes = nbytes();
  for (std::size_t k = 0; k < operands; ++k) bytes += in[k].nbytes;
  return bytes;
}

const std::byte* Expression::memory() const {
  if (!has_memory_.load(std::memory_order_acquire)) return nullptr;
  if (memory_.version() != version_) {
    if (is_forgetful_) throw_changed(result, memory_.version(), version_);
    return nullptr;
  }
  return static_cast<const std::byte*>(memory_.data_ptr());
}

void Expression::set_memory(const Storage& storage) const {
  memory_ = storage;
  version_ = storage.version();
  has_memory_.store(true, std::memory_order_release);
}

void Expression::forget_operands() const {
  is_forgetful_ = true;
  in = {};
}

void Expression::compute(const Storage& storage) {
  if (Recorder* const recorder = Recorder::current()) {
    recorder->flush("something read the elements of its result");
    if (!storage.is_deferred()) return;
  }
  const std::lock_guard lock(*computing_);
  if (storage.is_deferred()) evaluate({storage}, Evaluation());
}

std::shared_ptr<const Expression> expression_of(const Storage& storage) {
  return std::dynamic_pointer_cast<const Expression>(storage.deferred_elements());
}

}  // namespace lectern::fusion
