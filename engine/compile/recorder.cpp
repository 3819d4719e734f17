#include "compile/recorder.h"

#include <algorithm>
#include <cstring>

#include "base/scoped_value.h"
#include "compile/evaluate.h"
#include "ops/operands.h"
#include "tensor/layout.h"
#include "tensor/scalar_element.h"

namespace lectern::fusion {
namespace {

using Kind = kernels::FusedOperation::Kind;

/// The most operations recorded before they are computed.
constexpr std::size_t kMostOperations = 256;

bool is_whole(const Tensor& tensor) {
  return tensor.storage_offset() == 0 && tensor.is_contiguous() &&
         static_cast<std::size_t>(tensor.nbytes()) == tensor.storage().nbytes();
}

/// The number at an address in the type that `common` is computed in, rounded to `common` on the way as a
/// tensor's elements are.
kernels::FusedNumber number_from(Dtype dtype, const void* at, Dtype common) {
  kernels::FusedNumber element{}, number{};
  kernels::convert_element(common, element.data(), dtype, at);
  kernels::convert_element(compute_dtype(common), number.data(), common, element.data());
  return number;
}

/// The strides of the operation's own result on these operands (ops/operands.h).
Sizes own_strides(const Sizes& sizes, Device device, std::span<const RecordedOperand> in) {
  const auto is_scalar = [&](const RecordedOperand& operand) {
    return operand.tensor == nullptr || operand.tensor->device() != device;
  };
  const auto is_plain = [&](const RecordedOperand& operand) {
    return is_scalar(operand) || (operand.tensor->is_contiguous() && operand.tensor->sizes() == sizes);
  };
  if (std::all_of(in.begin(), in.end(), is_plain)) return contiguous_strides(sizes);
  std::array<Sizes, 3> strides;
  std::array<const std::int64_t*, 3> pointers{};
  for (std::size_t k = 0; k < in.size(); ++k) {
    strides[k] = is_scalar(in[k]) ? Sizes::filled(sizes.size(), 0)
                                  : expanded_strides(in[k].tensor->sizes(), in[k].tensor->strides(), sizes);
    pointers[k] = strides[k].begin();
  }
  return result_strides(sizes, std::span(pointers.data(), in.size()));
}

/// Which dimensions are reduced, those of size 1 aside, and to how many elements each result.
struct ReducedSizes {
  ReducedSizes(const Sizes& sizes, std::span<const bool> over) {
    bool kept_after = false, reduced_after = false;
    for (std::size_t d = sizes.size(); d-- > 0;) {
      if (sizes[d] == 1) continue;
      if (over[d]) elements *= sizes[d];
      trailing = trailing && !(over[d] && kept_after);
      leading = leading && !(!over[d] && reduced_after);
      (over[d] ? reduced_after : kept_after) = true;
    }
  }

  std::int64_t elements = 1;
  bool trailing = true, leading = true;
};

/// A 0-dimensional CPU tensor, which GPU operations accept as a scalar.
bool is_host_scalar(const Tensor& tensor) {
  return tensor.dim() == 0 && !tensor.is_cuda();
}

bool is_deferred(const RecordedOperand& operand) {
  return operand.tensor != nullptr && operand.tensor->storage().is_deferred();
}

}  // namespace

std::string_view Recorder::refusal(const kernels::FusedOperation& operation, const Sizes& sizes,
                                   Device device, std::span<const RecordedOperand> in) const {
  if (!kernels::has_fused.query(device))
    return "nothing is compiled for its GPU: NVRTC is missing or too old, or has made 4096 kernels";
  std::int64_t numel = 1;
  for (const std::int64_t size : sizes) numel *= size;
  if (numel == 0) return "it has no elements";
  if (numel == 1 && std::none_of(in.begin(), in.end(), is_deferred)) return "it has one element";
  for (const RecordedOperand& operand : in) {
    if (operand.tensor == nullptr) continue;
    if (operand.tensor->device() != device && !is_host_scalar(*operand.tensor))
      return "its operands are on two devices";
  }
  if (operation.kind != Kind::reduction && !is_contiguous(sizes, own_strides(sizes, device, in)))
    return "its result is not contiguous";
  return {};
}

void Recorder::refuse(std::string_view name, std::string_view why) const {
  if (report_ != nullptr) report_->add_eager(name, why);
}

ExpressionOperand Recorder::operand(const RecordedOperand& recorded, const Expression& reader) {
  const kernels::FusedOperation& operation = reader.operation;
  const Sizes& sizes = reader.sizes;
  ExpressionOperand made;
  if (recorded.scalar != nullptr) {
    const ScalarElement element(*recorded.scalar, operation.common);
    made.is_number = true;
    made.number = number_from(operation.common, element.data(), operation.common);
    return made;
  }
  const Tensor& tensor = *recorded.tensor;
  made.dtype = tensor.dtype();
  made.nbytes = bytes_in_memory(tensor);
  const bool is_on_host = !tensor.is_cuda();
  auto expression = expression_of(tensor.storage());
  if (expression != nullptr && is_on_host == reader.device.is_cpu()) {
    const auto whole = static_cast<std::size_t>(expression->nbytes());
    if (tensor.storage_offset() == 0 && tensor.dtype() == expression->operation.result &&
        tensor.storage().nbytes() == whole) {
      made.expression = std::move(expression);
      made.strides = expanded_strides(tensor.sizes(), tensor.strides(), sizes);
      return made;
    }
    tensor.data_ptr();  // computes it
  }
  if (tensor.numel() == 1 && operation.kind != Kind::convert && is_on_host) {
    made.is_number = true;
    made.number = number_from(tensor.dtype(), tensor.data_ptr(), operation.common);
    return made;
  }
  made.storage = tensor.storage();
  made.version = made.storage.version();
  made.offset = tensor.storage_offset();
  made.strides = expanded_strides(tensor.sizes(), tensor.strides(), sizes);
  return made;
}

std::shared_ptr<Expression> Recorder::express(const kernels::FusedOperation& operation, const Sizes& sizes,
                                              Device device, std::span<const RecordedOperand> in) {
  auto made = std::make_shared<Expression>(operation, device, computing_);
  made->sizes = made->result = sizes;
  made->numel = 1;
  for (const std::int64_t size : sizes) made->numel *= size;
  made->operands = in.size();
  made->flops = operation.kind == Kind::convert ? 0 : made->numel;
  for (std::size_t k = 0; k < in.size(); ++k) {
    made->in[k] = operand(in[k], *made);
    const auto& from = made->in[k].expression;
    if (from != nullptr && from->memory() == nullptr && from->level < kMostLevels)
      made->level = std::max(made->level, from->level + 1);
  }
  for (std::size_t k = 0; k < in.size(); ++k) {  // after any of them was computed, with a flush
    const Storage& storage = made->in[k].storage;
    if (storage && std::find(read_.begin(), read_.end(), storage) == read_.end()) read_.push_back(storage);
  }
  return made;
}

Tensor Recorder::result(const std::shared_ptr<Expression>& expression, const Sizes& strides) {
  const Dtype dtype = expression->operation.result;
  const Storage storage(static_cast<std::size_t>(expression->nbytes()), expression->device, expression);
  Tensor made(storage, dtype, expression->result, strides);
  pending_.push_back(storage);
  count_operation();
  return made;
}

void Recorder::count_operation() {
  if (++operations_ >= kMostOperations) flush("so many operations were recorded");
}

Tensor Recorder::elementwise(std::string_view name, const kernels::FusedOperation& operation,
                             const Sizes& sizes, Device device, std::span<const RecordedOperand> in) {
  std::string_view why = refusal(operation, sizes, device, in);
  const bool copies = operation.kind == Kind::convert && in[0].tensor->dtype() == operation.result;
  if (why.empty() && copies && !is_deferred(in[0])) why = "it copies a tensor";
  if (!why.empty()) {
    refuse(name, why);
    return {};
  }
  const Sizes strides = own_strides(sizes, device, in);
  return result(express(operation, sizes, device, in), strides);
}

bool Recorder::change(const kernels::FusedOperation& operation, const Tensor& self,
                      std::span<const RecordedOperand> in) {
  const Storage& storage = self.storage();
  std::string_view why = refusal(operation, self.sizes(), self.device(), in);
  if (why.empty() && !is_pending(storage)) why = "it changes a tensor that is in memory";
  if (why.empty() && !is_whole(self)) why = "it changes a part of a tensor";
  if (!why.empty()) {
    refuse(operation.name(), why);
    return false;
  }
  auto changed = express(operation, self.sizes(), self.device(), in);
  if (!storage.is_deferred()) {  // an operand was computed, and this with it
    refuse(operation.name(), "it changes a tensor that an operand needed");
    return false;
  }
  if (operation.result != self.dtype()) {
    auto converted =
        std::make_shared<Expression>(kernels::FusedOperation(self.dtype()), self.device(), computing_);
    converted->sizes = converted->result = self.sizes();
    converted->numel = changed->numel;
    converted->operands = 1;
    converted->level = changed->level + 1;
    converted->in[0].dtype = operation.result;
    converted->in[0].strides = contiguous_strides(self.sizes());
    converted->in[0].expression = std::move(changed);
    changed = std::move(converted);
  }
  storage.defer(std::move(changed));
  count_operation();
  return true;
}

bool Recorder::is_pending(const Storage& storage) const {
  return storage.is_deferred() && std::find(pending_.begin(), pending_.end(), storage) != pending_.end();
}

Tensor Recorder::reduction(std::string_view name, const kernels::FusedOperation& operation, const Tensor& x,
                           std::span<const bool> over, const Sizes& sizes, std::int64_t flops) {
  const RecordedOperand in[] = {RecordedOperand(x)};
  std::string_view why = refusal(operation, x.sizes(), x.device(), in);
  const ReducedSizes reduced(x.sizes(), over);
  if (why.empty() && reduced.elements == 1) why = "it reduces nothing";
  if (why.empty() && !reduced.trailing && !is_deferred(in[0]))
    why = "it reduces other dimensions than the last";
  if (!why.empty()) {
    refuse(name, why);
    return {};
  }
  auto made = express(operation, x.sizes(), x.device(), in);
  std::copy(over.begin(), over.end(), made->over.begin());
  made->flops = flops * made->numel;
  made->numel /= reduced.elements;
  if (reduced.trailing) {
    made->columns = reduced.elements;
  } else if (reduced.leading) {
    made->kept_columns = made->numel;
  }
  made->result = sizes;
  return result(made, contiguous_strides(sizes));
}

void Recorder::before_access(const Storage& storage) {
  if (std::find(read_.begin(), read_.end(), storage) != read_.end())
    flush("something read or wrote what it reads");
}

void Recorder::before_stream_change() {
  flush("the stream changed, or was marked");
}

void Recorder::flush(std::string_view why) {
  if (pending_.empty()) return read_.clear();
  const OperationRecorderScope computing(nullptr);
  const std::lock_guard lock(*computing_);
  std::vector<Storage> needed;
  for (const Storage& storage : pending_) {
    if (!storage.is_deferred()) continue;
    const bool is_deep = expression_of(storage)->level >= kMostLevels;
    if (is_deep ? storage.use_count() > 1 : storage.use_count_outside_graphs() > 1) needed.push_back(storage);
  }
  pending_.clear();
  read_.clear();
  operations_ = 0;
  if (needed.empty()) return;
  if (report_ != nullptr) report_->begin_pass(why);
  evaluate(needed, {&plans_, report_});
}

}  // namespace lectern::fusion
