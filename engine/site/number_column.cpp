#include "site/number_column.h"

#include <cstdint>
#include <utility>

#include "base/base64.h"

namespace lectern {
namespace {

constexpr unsigned kBits = 5, kMore = 1U << kBits;

void append(std::string& out, std::int64_t number) {
  // The sign is the lowest bit.
  auto rest =
      number < 0 ? (static_cast<std::uint64_t>(-number) << 1) | 1 : static_cast<std::uint64_t>(number) << 1;
  do {
    const std::uint64_t digit = rest % kMore;
    rest >>= kBits;
    out += kBase64Digits[digit | (rest > 0 ? kMore : 0)];
  } while (rest > 0);
}

}  // namespace

std::string number_column(const std::vector<int>& numbers) {
  std::string out;
  std::int64_t before = 0;
  for (const int number : numbers) append(out, number - std::exchange(before, std::int64_t{number}));
  return out;
}

}  // namespace lectern
