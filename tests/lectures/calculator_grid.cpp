// calculator_grid: reads calls, a line each, and writes their results as JSON. A line has the function and
// its inputs, with a tab before each of these; in an input, \t and \n stand for tab and newline.

#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "calculator/result_json.h"
#include "calculators.h"

// The lecture's own refuses what is not UTF-8; here all is.
Decoded first_code_point(std::string_view bytes) {
  const auto lead = static_cast<unsigned char>(bytes.front());
  const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  char32_t code_point = length == 1 ? lead : lead & (0x7Fu >> length);
  for (const char byte : bytes.substr(1, length - 1))
    code_point = code_point << 6 | (static_cast<unsigned char>(byte) & 0x3Fu);
  return {code_point, length};
}

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    std::vector<std::string> parts(1);
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '\t') {
        parts.emplace_back();
      } else if (line[i] == '\\') {
        const char escaped = line[++i];
        parts.back() += escaped == 't' ? '\t' : escaped == 'n' ? '\n' : escaped;
      } else {
        parts.back() += line[i];
      }
    }
    for (const lectern::calculation::Registered& each : lectern::calculation::registry()) {
      if (each.name != parts[0]) continue;
      const std::vector<std::string_view> inputs(parts.begin() + 1, parts.end());
      std::cout << lectern::calculation::result_json(each.call(inputs)) << '\n';
    }
  }
}
