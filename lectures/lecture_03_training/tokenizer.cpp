// Lecture 3, the tokenizer. Lecture 1 explains it.

#include "tokenizer.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace {

enum class Kind { letter, digit, space, other };

Kind kind_of(char byte) {
  const auto code = static_cast<unsigned char>(byte);
  if (std::isalpha(code) != 0) return Kind::letter;
  if (std::isdigit(code) != 0) return Kind::digit;
  return std::isspace(code) != 0 ? Kind::space : Kind::other;
}

// A run of letters, digits or signs, with the space before it.
std::string_view first_piece(std::string_view text) {
  const std::size_t begin = text[0] == ' ' && text.size() > 1 ? 1 : 0;
  const Kind kind = kind_of(text[begin]);
  std::size_t end = begin + 1;
  while (kind != Kind::space && end < text.size() && kind_of(text[end]) == kind) ++end;
  return text.substr(0, end);
}

std::vector<int> bytes_in(std::string_view piece) {
  std::vector<int> tokens;
  for (const char byte : piece) tokens.push_back(static_cast<unsigned char>(byte));
  return tokens;
}

void merge(std::vector<int>& tokens, std::pair<int, int> pair, int joined) {
  std::size_t kept = 0;
  for (const int token : tokens) {
    if (kept > 0 && tokens[kept - 1] == pair.first && token == pair.second) {
      tokens[kept - 1] = joined;
    } else {
      tokens[kept++] = token;
    }
  }
  tokens.resize(kept);
}

}  // namespace

Tokenizer::Tokenizer(std::string_view text, int vocabulary) {
  std::map<std::string_view, long> counted;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view piece = first_piece(rest);
    ++counted[piece];
    rest.remove_prefix(piece.size());
  }
  std::vector<std::vector<int>> pieces;
  std::vector<long> times;
  for (const auto& [piece, count] : counted) {
    pieces.push_back(bytes_in(piece));
    times.push_back(count);
  }
  for (int byte = 0; byte < 256; ++byte) {
    bytes_of_.emplace_back(1, static_cast<char>(byte));
  }
  const auto all = static_cast<std::size_t>(vocabulary);
  for (int joined = 256; joined < vocabulary; ++joined) {
    std::vector<long> counts(all * all);  // of each pair
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      for (std::size_t k = 1; k < pieces[i].size(); ++k) {
        const auto left = static_cast<std::size_t>(pieces[i][k - 1]);
        counts[left * all + static_cast<std::size_t>(pieces[i][k])] += times[i];
      }
    }
    const auto best = static_cast<int>(std::max_element(counts.begin(), counts.end()) - counts.begin());
    const std::pair<int, int> pair = {best / vocabulary, best % vocabulary};
    for (std::vector<int>& piece : pieces) merge(piece, pair, joined);
    merges_.push_back(pair);
    bytes_of_.push_back(bytes_of(pair.first) + bytes_of(pair.second));
  }
}

std::vector<std::uint16_t> Tokenizer::encode(std::string_view text) const {
  std::map<std::string_view, std::vector<int>> known;  // each piece is encoded once
  std::vector<std::uint16_t> tokens;
  while (!text.empty()) {
    const std::string_view piece = first_piece(text);
    const auto [place, is_new] = known.try_emplace(piece);
    if (is_new) {
      place->second = bytes_in(piece);
      int joined = 256;
      for (const std::pair<int, int>& pair : merges_) {
        merge(place->second, pair, joined++);
      }
    }
    tokens.insert(tokens.end(), place->second.begin(), place->second.end());
    text.remove_prefix(piece.size());
  }
  return tokens;
}

std::string Tokenizer::decode(const std::vector<std::int64_t>& tokens) const {
  std::string text;
  for (const std::int64_t token : tokens) text += bytes_of(static_cast<int>(token));
  return text;
}
