#include "trace/value_text.h"

#include <algorithm>

#include "base/readable_numbers.h"
#include "base/utf8.h"
#include "trace/tensor_text.h"

namespace lectern {
namespace {

constexpr int kDeepest = 64;

class LineOfText {
 public:
  explicit LineOfText(std::size_t limit) : limit_(limit) {}

  std::string run(const Value& value) {
    add(value, 0);
    if (character_count(out_) <= limit_ || number(value)) return out_;
    return std::string(first_characters(out_, limit_ - 1)) + "\u2026";
  }

 private:
  bool full() const { return out_.size() > limit_ * 4; }

  void add(const Value& value, int depth) {
    if (full() || depth > kDeepest) return;
    std::visit([&](const auto& form) { add_form(form, value, depth); }, value.form);
  }

  void add_form(form::Null /*form*/, const Value& value, int /*depth*/) {
    out_ += value.type == "std::nullptr_t" ? "nullptr" : "null";
  }
  void add_form(bool form, const Value& /*value*/, int /*depth*/) { out_ += form ? "true" : "false"; }
  template <typename Number>
  requires std::is_arithmetic_v<Number>
  void add_form(Number form, const Value& /*value*/, int /*depth*/) { out_ += show_number(form); }
  void add_form(const std::string& form, const Value& value, int /*depth*/) {
    out_ += literal_text(first_characters(form, limit_ + 1), is_character(value.type) ? '\'' : '"');
    if (value.size) out_ += "\u2026";
  }
  void add_form(const form::Items& form, const Value& value, int depth) {
    add_list("[]", form.items, value, [&](const Value& item) { add(item, depth + 1); });
  }
  void add_form(const form::Entries& form, const Value& value, int depth) {
    add_list("{}", form.entries, value, [&](const auto& entry) {
      add(entry.first, depth + 1);
      out_ += ": ";
      add(entry.second, depth + 1);
    });
  }
  void add_form(const form::Fields& form, const Value& value, int depth) {
    add_list("{}", form.fields_, value, [&](const auto& field) {
      out_ += field.first + ": ";
      add(field.second, depth + 1);
    });
  }
  template <form::HasPlainText Form>
  void add_form(const Form& form, const Value& /*value*/, int /*depth*/) {
    out_ += form.plain_text();
  }
  void add_form(const form::Text& form, const Value& /*value*/, int /*depth*/) { out_ += form.text; }
  void add_form(const form::Pointer& form, const Value& value, int depth) {
    const bool empty = form.to->as<form::Null>() != nullptr && form.to->type.empty();
    if (empty) {
      out_ += empty_text(value.type);
    } else {
      out_ += lead_text(value, value_type(*form.to));
      add(*form.to, depth + 1);
    }
  }
  void add_form(const Boxed<form::Tensor>& form, const Value& /*value*/, int /*depth*/) {
    out_ += tensor_text(*form);
  }
  void add_form(const form::Storage& form, const Value& /*value*/, int /*depth*/) {
    out_ += storage_text(form);
  }
  void add_form(const form::Reference& form, const Value& /*value*/, int /*depth*/) {
    out_ += "#" + std::to_string(form.ref);
  }
  void add_form(const form::Cut& /*form*/, const Value& /*value*/, int /*depth*/) { out_ += "\u2026"; }
  void add_form(const form::Typed& form, const Value& value, int depth) {
    add(*form.value, depth + 1);
    if (value.size) out_ += "\u2026";
  }
  void add_form(const form::Opaque& /*form*/, const Value& value, int /*depth*/) {
    out_ += short_type(value.type);
  }
  void add_form(const form::Unknown& form, const Value& /*value*/, int /*depth*/) { out_ += form.json.text; }

  template <typename Item, typename Add>
  void add_list(const char* brackets, const std::vector<Item>& items, const Value& value, Add add_item) {
    out_ += brackets[0];
    bool first = true;
    for (const Item& item : items) {
      if (full()) break;
      if (!first) out_ += ", ";
      first = false;
      add_item(item);
    }
    if (value.size) out_ += first ? "\u2026" : ", \u2026";
    out_ += brackets[1];
  }

  std::string out_;
  std::size_t limit_;
};

}  // namespace

std::string value_text(const Value& value, std::size_t limit) {
  return LineOfText(limit).run(value);
}

std::string value_type(const Value& value) {
  return value.tensor() != nullptr ? tensor_type(*value.tensor()) : short_type(value.type);
}

}  // namespace lectern
