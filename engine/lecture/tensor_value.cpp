#include "lecture/tensor_value.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <span>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/json_text.h"
#include "lecture/number_list.h"
#include "tensor/elements.h"
#include "tensor/print.h"

namespace lectern {
namespace {

/// Identities of storages depend on all that a program allocates; numbers in the order of appearance only on
/// what it shows.
std::uint64_t storage_number(const Storage& storage) {
  static std::mutex mutex;
  static std::unordered_map<std::uint64_t, std::uint64_t> numbers;
  const std::lock_guard lock(mutex);
  return numbers.try_emplace(storage.id(), numbers.size() + 1).first->second;
}

void append_storage(std::string& out, const Storage& storage) {
  out += R"(,"device":)";
  append_json_string(out, storage.device().name());
  out += R"(,"storage":)";
  append_unsigned(out, storage_number(storage));
  out += R"(,"storage_bytes":)";
  append_unsigned(out, storage.nbytes());
}

/// A tensor as JSON, as much of it as fits.
class TensorText {
 public:
  TensorText(const Tensor& tensor, const std::vector<std::string>& names, std::size_t room)
      : tensor_(tensor), room_(room) {
    text_ = R"({"type":"Tensor","dtype":")";
    text_ += name(tensor.dtype());
    text_ += R"(","shape":)";
    append_integers(text_, tensor.sizes());
    add_names(names);
    text_ += R"(,"strides":)";
    append_integers(text_, tensor.strides());
    if (tensor.storage_offset() != 0) {
      text_ += R"(,"offset":)";
      append_integer(text_, tensor.storage_offset());
    }
    append_storage(text_, tensor.storage());
    if (tensor.requires_grad()) text_ += R"(,"requires_grad":true)";
    layout_ = text_.size();
  }

  std::string build() {
    if (!add_all() && !add_summary()) text_.resize(layout_);
    text_ += '}';
    return std::move(text_);
  }

 private:
  void add_names(const std::vector<std::string>& names) {
    if (std::all_of(names.begin(), names.end(), [](const std::string& name) { return name.empty(); })) return;
    text_ += R"(,"names":[)";
    for (const std::string& name : names) {
      if (&name != &names.front()) text_ += ',';
      append_json_string(text_, name);
    }
    text_ += ']';
  }

  bool fits() const { return text_.size() < room_; }

  bool add_all() {
    const std::size_t shortest = lectern::is_floating_point(tensor_.dtype()) ? 4 : 2;  // "0.0,", "0,"
    if (room_ < text_.size() ||
        static_cast<std::uint64_t>(tensor_.numel()) > (room_ - text_.size()) / shortest) {
      return false;
    }
    constexpr std::size_t kUsual = 12;
    text_.reserve(text_.size() + std::min(room_, static_cast<std::size_t>(tensor_.numel()) * kUsual));
    add_numbers(select_all(tensor_.sizes()));
    return fits();
  }

  bool add_summary() {
    constexpr std::int64_t kEnough = 144;
    const Distribution all = room_ > layout_ ? distribution(tensor_) : Distribution{};
    for (std::int64_t most = kEnough; most > 0; most /= 4) {
      text_.resize(layout_);
      const Selection selection = corners(most);
      text_ += R"(,"indices":[)";
      for (const std::vector<std::int64_t>& positions : selection) {
        if (&positions != &selection.front()) text_ += ',';
        append_integers(text_, positions);
      }
      text_ += ']';
      add_numbers(selection);
      add_statistics(all.moments);
      if (!all.histogram.empty()) {
        text_ += R"(,"histogram":)";
        append_integers(text_, all.histogram);
      }
      if (fits()) return true;
    }
    return false;
  }

  /// At most `most` elements: first those at the ends, in too many dimensions fewer of the outer ones.
  Selection corners(std::int64_t most) const {
    Selection selection = select_edges(tensor_.sizes(), 3);
    for (const std::size_t kept : {std::size_t{2}, std::size_t{1}}) {
      for (auto& positions : selection) {
        if (numel(selection) > most && positions.size() > kept) {
          positions =
              kept == 2 ? std::vector{positions.front(), positions.back()} : std::vector{positions.front()};
        }
      }
    }
    return selection;
  }

  void add_numbers(const Selection& selection) {
    const Elements elements = read_elements(tensor_, selection);
    text_ += R"(,"data":)";
    if (tensor_.dtype() == bool_) {
      append_truths(text_, elements.integers);
    } else if (lectern::is_floating_point(tensor_.dtype())) {
      append_reals(text_, elements.reals, tensor_.dtype() == float64, room_);
    } else {
      append_integers(text_, elements.integers);
    }
  }

  void add_statistics(const kernels::Moments& moments) {
    text_ += R"(,"stats":{)";
    if (moments.finite > 0) {
      const double count = static_cast<double>(moments.finite);
      add_extreme("min", moments.min, moments.integer_min);
      add_extreme("max", moments.max, moments.integer_max);
      add_figure("mean", moments.mean);
      if (moments.finite > 1) add_figure("std", std::sqrt(moments.squares / (count - 1)));
    }
    if (moments.nan > 0) append_integer(add_field("nan"), moments.nan);
    if (moments.infinite > 0) append_integer(add_field("inf"), moments.infinite);
    text_ += '}';
  }

  std::string& add_field(std::string_view field) {
    if (text_.back() != '{') text_ += ',';
    append_json_string(text_, field);
    return text_ += ':';
  }
  void add_extreme(std::string_view field, double real, std::int64_t integer) {
    if (lectern::is_floating_point(tensor_.dtype())) return add_figure(field, real);
    append_integer(add_field(field), integer);
  }
  /// More digits than float has would be noise, but for those who compute in double.
  void add_figure(std::string_view field, double value) {
    if (tensor_.dtype() == float64) {
      append_real(add_field(field), value);
    } else {
      append_real(add_field(field), static_cast<float>(value));
    }
  }

  const Tensor& tensor_;
  std::size_t room_;
  std::string text_;
  std::size_t layout_ = 0;  ///< length of what says the layout
};

void write_named(ValueWriter& out, const Tensor& tensor, const std::vector<std::string>& names,
                 std::size_t room) {
  if (!tensor.defined()) return out.text("Tensor", "undefined");
  if (room > 0) return out.raw(TensorText(tensor, names, room).build());
  out.opaque("Tensor");
}

template <typename Number>
fmt::appender format_number(std::string_view specification, Number number, fmt::format_context& context) {
  constexpr std::string_view kOfReals = ".eEfFgGaA";
  const std::string format = "{:" + std::string(specification) + "}";
  if constexpr (std::is_integral_v<Number>) {
    if (specification.find_first_of(kOfReals) != std::string_view::npos) {
      return fmt::format_to(context.out(), fmt::runtime(format), static_cast<double>(number));
    }
  }
  return fmt::format_to(context.out(), fmt::runtime(format), number);
}

}  // namespace

void to_value(ValueWriter& out, const Tensor& tensor) {
  write_tensor_share(out, tensor, 1);
}

void write_tensor_share(ValueWriter& out, const Tensor& tensor, std::size_t count) {
  write_named(out, tensor, {}, count == 1 ? out.room_for_value() : out.room_per_value(count));
}

void write_annotated(ValueWriter& out, const Tensor& tensor, std::string_view axes) {
  const auto dims = static_cast<std::size_t>(tensor.defined() ? tensor.dim() : 0);
  write_named(out, tensor, axis_names(axes, dims), out.room_for_value());
}

void to_value(ValueWriter& out, const MemoryByCategory& memory) {
  out.begin_fields("MemoryByCategory");
  for (std::size_t i = 0; i < kMemoryCategories.size(); ++i) {
    if (memory.bytes[i] == 0) continue;
    out.field(kMemoryCategories[i]);
    out.integer(memory.bytes[i]);
  }
  out.end();
}

void to_value(ValueWriter& out, const FloatInfo& info) {
  out.text("FloatInfo", to_string(info));
}

void to_value(ValueWriter& out, const IntegerInfo& info) {
  out.text("IntegerInfo", to_string(info));
}

namespace values {

void write(ValueWriter& out, const Storage& storage) {
  if (!storage) return out.text("Storage", "none");
  std::string json = R"({"type":"Storage")";
  append_storage(json, storage);
  out.raw(json + "}");
}

void write(ValueWriter& out, Dtype dtype) {
  out.text("Dtype", name(dtype));
}

void write(ValueWriter& out, const Device& device) {
  out.text("Device", device.name());
}

void write(ValueWriter& out, const Sizes& sizes) {
  out.begin_items("Sizes", sizes.size());
  for (const std::int64_t size : sizes) out.integer(size);
  out.end();
}

void write(ValueWriter& out, const Scalar& scalar) {
  if (scalar.is_boolean()) return out.boolean(scalar.to_bool());
  if (scalar.is_integer()) return out.integer(scalar.to_int64());
  out.real(scalar.to_double());
}

void write(ValueWriter& out, const TensorItem& item) {
  if (!item.is_real() || item.element_dtype() == float64) return write(out, static_cast<const Scalar&>(item));
  out.real(static_cast<float>(item.to_double()));
}

}  // namespace values

fmt::appender NumberFormatter::format(const Scalar& scalar, fmt::format_context& context) const {
  if (scalar.is_real()) return format_number(specification_, scalar.to_double(), context);
  if (scalar.is_integer()) return format_number(specification_, scalar.to_int64(), context);
  return format_number(specification_, scalar.to_bool(), context);
}

fmt::appender NumberFormatter::format(const TensorItem& item, fmt::format_context& context) const {
  if (!item.is_real() || item.element_dtype() == float64)
    return format(static_cast<const Scalar&>(item), context);
  return format_number(specification_, static_cast<float>(item.to_double()), context);
}

fmt::appender NumberFormatter::format(const Tensor& tensor, fmt::format_context& context) const {
  if (!tensor.defined() || tensor.dim() > 0) {
    if (!specification_.empty()) {
      throw fmt::format_error(
          "a format specification is for tensors without dimensions; this one has shape " +
          (tensor.defined() ? to_string(tensor.shape()) : std::string("undefined")));
    }
    return fmt::format_to(context.out(), "{}", to_string(tensor));
  }
  const Elements elements = read_elements(tensor, {});
  if (tensor.dtype() == bool_) return format_number(specification_, elements.integers[0] != 0, context);
  if (!tensor.is_floating_point()) return format_number(specification_, elements.integers[0], context);
  // The shortest text of a float is that of the float, not of the double that it becomes.
  if (tensor.dtype() == float64) return format_number(specification_, elements.reals[0], context);
  return format_number(specification_, static_cast<float>(elements.reals[0]), context);
}

}  // namespace lectern
