// The text that lectures train on.

#pragma once

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

// What a command prints; nothing when it cannot be run.
inline std::string output_of(const char* command) {
  std::string output;
  std::FILE* pipe = popen(command, "r");
  if (pipe == nullptr) return output;
  for (int byte = std::fgetc(pipe); byte != EOF; byte = std::fgetc(pipe)) {
    output += static_cast<char>(byte);
  }
  pclose(pipe);
  return output;
}

// The King James Bible. Each verse is a line behind its label: "Gen1:1 In the …".
inline std::string bible_text() {
  if (const char* folder = std::getenv("LECTERN_DATA")) {
    std::ifstream file(std::string(folder) + "/kjv.txt", std::ios::binary);
    if (file) return {std::istreambuf_iterator<char>(file), {}};
  }
  return output_of("bible -f gen1:1-rev22:21 2>/dev/null");
}

struct Bible {
  std::string old_testament;  // for training
  std::string new_testament;  // held out
};

inline const Bible& bible() {
  static const Bible both = [] {
    const std::string all = bible_text();
    const std::size_t border = all.find("Mat1:1 ");
    if (border == std::string::npos) {
      throw std::runtime_error("the King James Bible is missing; install Debian's package bible-kjv, or "
                               "set LECTERN_DATA to a folder with its text in kjv.txt");
    }
    return Bible{all.substr(0, border), all.substr(border)};
  }();
  return both;
}
