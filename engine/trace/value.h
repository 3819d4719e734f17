#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/readable_numbers.h"
#include "trace/boxed.h"
#include "trace/fields.h"

namespace lectern::trace_model {

/// A value of a trace (traces/README.md, "Values"). A form is a type in namespace form, recognised by its
/// first member that is always written, and an entry of Value::Form; a lecture writes it through
/// record/value_writer.h. It is shown as its plain_text(), or as trace/value_text.cpp (text) and
/// site/values.cpp (HTML) say.

struct Value;

/// Like std::pair, but also for incomplete types, whose properties std::pair would ask for too early.
template <typename First, typename Second>
struct Pair {
  Pair() = default;
  Pair(First one, Second other) : first(std::move(one)), second(std::move(other)) {}
  bool operator==(const Pair&) const = default;

  First first = {};
  Second second = {};
};

/// An element of a tensor.
using Element = std::variant<double, std::int64_t, bool>;

namespace form {

inline constexpr std::string_view kDevice = "^(cpu|cuda:[0-9]+)$";

/// Sequence, set, tuple, pair.
struct Items {
  std::vector<Value> items;
  static constexpr auto fields() { return field_list(Field{"items", &Items::items, kAlways}); }
  bool operator==(const Items&) const;
};

/// Map: keys and values.
struct Entries {
  std::vector<Pair<Value, Value>> entries;
  static constexpr auto fields() { return field_list(Field{"entries", &Entries::entries, kAlways}); }
  bool operator==(const Entries&) const;
};

/// Aggregate: names and values.
struct Fields {
  std::vector<Pair<std::string, Value>> fields_;
  static constexpr auto fields() { return field_list(Field{"fields", &Fields::fields_, kAlways}); }
  bool operator==(const Fields&) const;
};

/// An enumerator with its number; without one, what a stream operator wrote.
struct Text {
  std::string text;
  std::optional<std::int64_t> value;
  static constexpr auto fields() {
    return field_list(Field{"text", &Text::text, kAlways}, Field{"value", &Text::value});
  }
  bool operator==(const Text&) const = default;
};

/// A number with its unit, "12 ms".
struct Quantity {
  Element quantity = std::int64_t{0};
  std::string unit;
  static constexpr auto fields() {
    return field_list(Field{"quantity", &Quantity::quantity, kAlways}, Field{"unit", &Quantity::unit});
  }
  std::string plain_text() const {
    const auto text = [](auto number) {
      using Number = decltype(number);
      using Shown = std::conditional_t<std::is_same_v<Number, bool>, std::int64_t, Number>;
      return show_number(static_cast<Shown>(number));
    };
    return std::visit(text, quantity) + " " + unit;
  }
  bool operator==(const Quantity&) const = default;
};

/// A value reached through another: a pointer, an optional, or a variant and its like, which hold one of
/// several types; to null when empty.
struct Pointer {
  Boxed<Value> to;
  static constexpr auto fields() { return field_list(Field{"to", &Pointer::to, kAlways}); }
  bool operator==(const Pointer&) const = default;
};

/// A pointer that cannot be followed. Addresses differ from run to run: all of them are equal.
struct Address {
  std::string address;
  static constexpr auto fields() { return field_list(Field{"address", &Address::address, kAlways}); }
  const std::string& plain_text() const { return address; }
  bool operator==(const Address& /*other*/) const { return true; }
};

struct Statistics {
  std::optional<Element> min, max, mean, std;  ///< of the finite elements; std with n - 1
  std::uint64_t nan = 0, inf = 0;
  static constexpr auto fields() {
    using S = Statistics;
    return field_list(Field{"min", &S::min}, Field{"max", &S::max}, Field{"mean", &S::mean},
                      Field{"std", &S::std}, Field{"nan", &S::nan}, Field{"inf", &S::inf});
  }
  bool operator==(const Statistics&) const = default;
};

/// A tensor that was read is consistent: `data` has as many elements as `indices`, or else the shape, call
/// for; there is a stride for each dimension.
struct Tensor {
  std::string dtype;
  std::vector<std::int64_t> shape;
  std::vector<std::string> names;                    ///< of the dimensions; empty: of none
  std::optional<std::vector<std::int64_t>> strides;  ///< in elements
  std::int64_t offset = 0;                           ///< of the first element in the storage, in elements
  std::string device;
  std::int64_t storage = 0;  ///< its number; 0: unknown
  std::int64_t storage_bytes = 0;
  bool requires_grad = false;
  std::vector<std::vector<std::int64_t>> indices;  ///< of a summary, the positions in each dimension
  std::optional<std::vector<Element>> data;        ///< row by row; nothing where not even a summary fits
  std::optional<Statistics> stats;
  /// Of a summary: how many finite elements lie in each of as many intervals of one width from the smallest
  /// to the largest; empty: unknown.
  std::vector<std::int64_t> histogram;
  static constexpr auto fields() {
    using T = Tensor;
    return field_list(Field{"dtype", &T::dtype, kAlways}, Field{"shape", &T::shape, kAlways},
                      Field{"names", &T::names}, Field{"strides", &T::strides}, Field{"offset", &T::offset},
                      Field{"device", &T::device, kElseAbsent, kDevice}, Field{"storage", &T::storage},
                      Field{"storage_bytes", &T::storage_bytes}, Field{"requires_grad", &T::requires_grad},
                      Field{"indices", &T::indices}, Field{"data", &T::data}, Field{"stats", &T::stats},
                      Field{"histogram", &T::histogram});
  }
  bool operator==(const Tensor&) const = default;
};

/// The memory that tensors share.
struct Storage {
  std::string device;
  std::int64_t storage = 0, storage_bytes = 0;
  static constexpr auto fields() {
    return field_list(Field{"device", &Storage::device, kElseAbsent, kDevice},
                      Field{"storage", &Storage::storage, kAlways},
                      Field{"storage_bytes", &Storage::storage_bytes});
  }
  bool operator==(const Storage&) const = default;
};

/// An object that is written elsewhere in the same value, by its id.
struct Reference {
  std::int64_t ref = 0;
  static constexpr auto fields() { return field_list(Field{"ref", &Reference::ref, kAlways}); }
  bool operator==(const Reference&) const = default;
};

/// Why there is no value: evaluating the expression failed.
struct Problem {
  std::string error;
  static constexpr auto fields() { return field_list(Field{"error", &Problem::error, kAlways}); }
  const std::string& plain_text() const { return error; }
  bool operator==(const Problem&) const = default;
};

/// Left out: the budget or the depth was used up.
struct Cut {
  bool cut = true;
  static constexpr auto fields() { return field_list(Field{"cut", &Cut::cut, kAlways}); }
  bool operator==(const Cut&) const = default;
};

/// A value of any form with a type beside it.
struct Typed {
  Boxed<Value> value;
  static constexpr auto fields() { return field_list(Field{"value", &Typed::value, kAlways}); }
  bool operator==(const Typed&) const = default;
};

/// A type of which nothing can be shown.
struct Opaque {
  static constexpr auto fields() { return field_list(); }
  bool operator==(const Opaque&) const = default;
};

/// JSON that has none of these forms.
struct Unknown {
  JsonText json;
  bool operator==(const Unknown&) const = default;
};

using Null = std::monostate;

template <typename Form>
concept HasPlainText = requires(const Form& form) {
  form.plain_text();
};

}  // namespace form

struct Value {
  /// Strings are bytes, mostly of UTF-8. An object is of the first form that it has the members of.
  using Form = std::variant<form::Null, bool, std::int64_t, std::uint64_t, double, std::string,
                            Boxed<form::Tensor>, form::Storage, form::Items, form::Entries, form::Fields,
                            form::Text, form::Quantity, form::Pointer, form::Address, form::Problem,
                            form::Reference, form::Cut, form::Typed, form::Opaque, form::Unknown>;

  std::string type = {};  ///< empty where the form says it
  Form form = {};
  std::optional<std::uint64_t> size =
      {};                 ///< when items, or bytes of a string, were left out: how many they are
  std::int64_t id = 0;    ///< of an object that is met again within the value; else 0
  JsonText unknown = {};  ///< an object of the fields that this version does not know

  template <typename T>
  const T* as() const {
    return std::get_if<T>(&form);
  }
  const form::Tensor* tensor() const {
    const auto* const boxed = std::get_if<Boxed<form::Tensor>>(&form);
    return boxed == nullptr ? nullptr : &**boxed;
  }
  bool operator==(const Value&) const = default;
};

/// A number as a double; nothing for other values.
std::optional<double> number(const Value& value);
double number(const Element& element);

/// Whether it is a number, true, false, null or a string.
bool is_scalar(const Value& value);
/// Whether it is written as it is, without a type.
bool is_bare(const Value& value);

}  // namespace lectern::trace_model
