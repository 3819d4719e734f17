#include "instrument/insertions.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "instrument/instrument.h"

namespace lectern {

void Insertions::add(std::size_t offset, std::string code, bool own_line) {
  if (!code.empty()) insertions_.push_back({offset, std::move(code), own_line});
}

std::string Insertions::placed(std::size_t offset, std::string_view text) const {
  return fmt::format("\n#line {}\n{}{}", positions_.line(offset), positions_.padding(offset), text);
}

std::string Insertions::apply() const {
  std::vector<const Insertion*> order;
  for (const Insertion& insertion : insertions_) order.push_back(&insertion);
  std::stable_sort(order.begin(), order.end(),
                   [](const Insertion* a, const Insertion* b) { return a->offset < b->offset; });

  std::string result;
  std::size_t copied = 0;
  for (std::size_t i = 0; i < order.size();) {
    const std::size_t offset = order[i]->offset;
    std::string inserted;
    bool own_line = false;
    for (; i < order.size() && order[i]->offset == offset; ++i) {
      if (order[i]->own_line && !inserted.empty() && inserted.back() != '\n') inserted += '\n';
      if (order[i]->own_line && inserted.empty()) inserted += '\n';
      inserted += order[i]->code;
      own_line = own_line || order[i]->own_line;
    }
    if (own_line) inserted += placed(offset, "");
    result.append(source_, copied, offset - copied);
    result += fmt::format("{}{:04}*/{}", insertion_marker, inserted.size(), inserted);
    copied = offset;
  }
  result.append(source_, copied);
  return result;
}

std::string strip_probes(std::string_view instrumented) {
  std::string result;
  while (true) {
    const std::size_t marker = instrumented.find(insertion_marker);
    result.append(instrumented.substr(0, marker));
    if (marker == std::string_view::npos) return result;
    instrumented.remove_prefix(marker + insertion_marker.size());
    std::size_t length = 0;
    const auto [end, error] =
        std::from_chars(instrumented.data(), instrumented.data() + instrumented.size(), length);
    const auto digits = static_cast<std::size_t>(end - instrumented.data());
    if (error != std::errc() || !instrumented.substr(digits).starts_with("*/")) {
      throw Error("a probe's marker is damaged; instrument the source again");
    }
    instrumented.remove_prefix(std::min(instrumented.size(), digits + 2 + length));
  }
}

}  // namespace lectern
