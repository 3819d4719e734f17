#include "lecture/constant_text.h"

#include <list>
#include <mutex>
#include <string>
#include <utility>

#include "record/value_writer.h"

namespace lectern {
namespace {

/// Kept to the end of the program, wherever it is in use.
template <typename T>
const T& keep(T value) {
  static std::mutex mutex;
  static auto* const values = new std::list<T>;
  const std::lock_guard lock(mutex);
  return values->emplace_back(std::move(value));
}

}  // namespace

std::string_view ConstantText::kept(std::string_view text) {
  return keep(std::string(text));
}

const ConstantText* ConstantTexts::kept(std::span<const ConstantText> texts) {
  return keep(std::vector<ConstantText>(texts.begin(), texts.end())).data();
}

void to_value(ValueWriter& out, const ConstantText& text) {
  out.string(text);
}

void to_value(ValueWriter& out, const ConstantTexts& texts) {
  out.begin_items("lectern::ConstantTexts", texts.size());
  for (const ConstantText& text : texts) out.string(text);
  out.end();
}

}  // namespace lectern
