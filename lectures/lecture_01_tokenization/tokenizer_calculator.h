// A text as bytes, words and tokens, for readers to try.  @hide file

#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <lectern/calculator.h>

#include "pieces.h"

#ifdef __wasm__
#include "trusted_utf8.h"
#endif

namespace tokenizer_calculator {

/// The lecture's byte-pair encoding, from the list of its merges: "104 101 257 115 …", two tokens each.
class Encoding {
 public:
  explicit Encoding(std::string_view merges) {
    for (int byte = 0; byte < 256; ++byte) bytes_.emplace_back(1, static_cast<char>(byte));
    const char *at = merges.data(), *const end = at + merges.size();
    const auto read = [&](int& token) {
      while (at < end && *at == ' ') ++at;
      const auto [after, error] = std::from_chars(at, end, token);
      at = after;
      return error == std::errc() && token >= 0 && token < static_cast<int>(bytes_.size());
    };
    for (std::pair<int, int> pair; read(pair.first) && read(pair.second);) {
      joined_.emplace(pair, static_cast<int>(bytes_.size()));
      bytes_.push_back(bytes(pair.first) + bytes(pair.second));
    }
  }

  /// The earliest merge that applies anywhere in a piece, until none does.
  std::vector<int> encode_piece(std::string_view piece) const {
    std::vector<int> tokens;
    for (const char byte : piece) tokens.push_back(static_cast<unsigned char>(byte));
    for (;;) {
      std::pair<int, int> best;
      int earliest = static_cast<int>(bytes_.size());
      for (std::size_t i = 1; i < tokens.size(); ++i) {
        const auto found = joined_.find({tokens[i - 1], tokens[i]});
        if (found == joined_.end() || found->second >= earliest) continue;
        earliest = found->second;
        best = found->first;
      }
      if (earliest == static_cast<int>(bytes_.size())) return tokens;
      std::vector<int> merged;
      for (std::size_t i = 0; i < tokens.size(); ++i) {
        const bool here = i + 1 < tokens.size() && std::pair(tokens[i], tokens[i + 1]) == best;
        merged.push_back(here ? earliest : tokens[i]);
        i += here ? 1 : 0;
      }
      tokens = std::move(merged);
    }
  }

  std::vector<int> encode(std::string_view text) const {
    std::vector<int> tokens;
    for (const std::string_view piece : pieces_of(text)) {
      const std::vector<int> part = encode_piece(piece);
      tokens.insert(tokens.end(), part.begin(), part.end());
    }
    return tokens;
  }

  const std::string& bytes(int token) const { return bytes_[static_cast<std::size_t>(token)]; }
  std::size_t size() const { return bytes_.size(); }

 private:
  std::vector<std::string> bytes_;  // by token
  std::map<std::pair<int, int>, int> joined_;
};

inline std::string hexadecimal(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    out += {kDigits[value >> 4], kDigits[value & 15]};
  }
  return out;
}

/// Whole characters as they are, a space as ␣; parts of characters in hexadecimal.
inline std::string spelled(std::string_view bytes) {
  std::string out;
  for (std::string_view rest = bytes; !rest.empty();) {
    const auto lead = static_cast<unsigned char>(rest.front());
    const std::size_t length = lead < 0x80 ? 1 : lead < 0xC0 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if (length == 0 || length > rest.size()) return "<" + hexadecimal(bytes) + ">";
    out += rest.front() == ' ' ? "␣" : rest.front() == '\n' ? "↵" : rest.substr(0, length);
    rest.remove_prefix(length);
  }
  return out;
}

}  // namespace tokenizer_calculator

/// A text as characters, bytes, words, and tokens of the lecture's byte-pair encoding.
inline lectern::CalculatorResult text_to_tokens(std::string_view text, std::string_view merges) {
  using namespace lectern;
  CalculatorResult out;
  constexpr std::size_t kMost = 2000;
  if (text.empty()) out.refuse("text", "type some text");
  if (text.size() > kMost)
    out.refuse("text", "at most 2,000 bytes; this has " + rounded_number(static_cast<double>(text.size())));
  if (out.refused()) return out;

  const tokenizer_calculator::Encoding encoding(merges);
  const std::vector<int> tokens = encoding.encode(text);
  std::size_t characters = 0, words = 0;
  bool in_word = false;
  for (std::string_view rest = text; !rest.empty(); ++characters) {
    const Decoded next = first_code_point(rest);
    const bool space = class_of(next.code_point) == CharacterClass::space;
    words += !space && !in_word ? 1 : 0;
    in_word = !space;
    rest.remove_prefix(next.length);
  }
  const auto show = [&out](const char* label, std::size_t count, std::string note = {}) {
    out.show(label, rounded_number(static_cast<double>(count)), static_cast<double>(count), std::move(note));
  };
  show("Code points", characters);
  show("Bytes in UTF-8", text.size());
  show("Words", words, "between spaces");
  show("Tokens", tokens.size(),
       with_noun(rounded_number(static_cast<double>(text.size()) / static_cast<double>(tokens.size()), 3), "byte") +
           " per token");

  CalculatorCells row{"Tokens of this lecture's vocabulary of " + rounded_number(static_cast<double>(encoding.size())),
                      {}};
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string& bytes = encoding.bytes(tokens[i]);
    row.cells.push_back({tokenizer_calculator::spelled(bytes), i % 2 == 0 ? 1 : 2,
                         "token " + std::to_string(tokens[i]) + ", bytes " + tokenizer_calculator::hexadecimal(bytes),
                         false});
  }
  out.cells.push_back(std::move(row));
  CalculatorCells numbers{"Their numbers", {}};
  for (const int token : tokens) numbers.cells.push_back({std::to_string(token), -1, {}, false});
  out.cells.push_back(std::move(numbers));
  return out;
}
LECTERN_CALCULATOR(text_to_tokens, text, merges);
