// How the guide shows its own source.  @hide file

#include <fstream>

#include "parts.h"

std::string listing(const char* file, int line) {
  std::ifstream source(file);
  std::string code;
  std::string text_of_line;
  for (int at = 1; std::getline(source, text_of_line); ++at) {
    if (at <= line) continue;
    if (text_of_line.empty() || text_of_line == "}") break;
    const bool indented = text_of_line.starts_with("  ");
    code += (indented ? text_of_line.substr(2) : text_of_line) + "\n";
  }
  return "````cpp\n" + code + "````\n";
}
