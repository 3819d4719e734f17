#include "lecture/number_list.h"

#include "base/json_text.h"

namespace lectern {
namespace {

/// Commas take the place of what follows the last number.
void close_list(std::string& out, bool empty) {
  if (empty) {
    out += ']';
  } else {
    out.back() = ']';
  }
}

template <typename Append>
void append_list(std::string& out, std::span<const std::int64_t> numbers, Append append) {
  out += '[';
  for (const std::int64_t number : numbers) {
    append(number);
    out += ',';
  }
  close_list(out, numbers.empty());
}

/// Through a block on the stack: a number costs little more than its digits.
template <typename T>
void append_reals_as(std::string& out, std::span<const double> numbers, std::size_t limit) {
  constexpr std::size_t kBlock = 2048;
  char block[kBlock + kRealLength + 1];
  char* at = block;
  out += '[';
  for (const double number : numbers) {
    at = put_real(at, static_cast<T>(number));
    *at++ = ',';
    if (at < block + kBlock) continue;
    out.append(block, at);
    at = block;
    if (out.size() > limit) return;
  }
  out.append(block, at);
  close_list(out, numbers.empty());
}

}  // namespace

void append_integers(std::string& out, std::span<const std::int64_t> numbers) {
  append_list(out, numbers, [&](std::int64_t number) { append_integer(out, number); });
}

void append_truths(std::string& out, std::span<const std::int64_t> numbers) {
  append_list(out, numbers, [&](std::int64_t number) { out += number != 0 ? "true" : "false"; });
}

void append_reals(std::string& out, std::span<const double> numbers, bool as_double, std::size_t limit) {
  if (as_double) {
    append_reals_as<double>(out, numbers, limit);
  } else {
    append_reals_as<float>(out, numbers, limit);
  }
}

}  // namespace lectern
