// The byte-pair encoding of lecture 1, shortened.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

class Tokenizer {
 public:
  // Learns merges from a text until the vocabulary has that many tokens.
  Tokenizer(std::string_view text, int vocabulary);

  std::vector<std::uint16_t> encode(std::string_view text) const;
  std::string decode(const std::vector<std::int64_t>& tokens) const;
  int size() const { return static_cast<int>(bytes_of_.size()); }
  const std::string& bytes_of(int token) const { return bytes_of_.at(static_cast<std::size_t>(token)); }

 private:
  std::vector<std::pair<int, int>> merges_;  // the k-th makes token 256 + k
  std::vector<std::string> bytes_of_;        // by token
};
