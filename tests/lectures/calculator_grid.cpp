// calculator_grid: reads calls, a line each, and writes their results as JSON. A line has the function and
// its inputs, with a tab before each of these; in an input, \t and \n stand for tab and newline.

#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "calculator/result_json.h"
#include "calculators.h"
#include "lecture_01_tokenization/trusted_utf8.h"

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
