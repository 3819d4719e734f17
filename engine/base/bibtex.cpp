#include "base/bibtex.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <map>
#include <utility>

#include "base/characters.h"
#include "base/error.h"
#include "base/files.h"
#include "base/nearest.h"
#include "base/utf8.h"

namespace lectern {
namespace {

/// Of one value, in bytes: strings may double each other.
constexpr std::size_t kMostValue = 64 << 10;

std::string small_letters(std::string_view text) {
  std::string small(text);
  std::transform(small.begin(), small.end(), small.begin(), to_lower);
  return small;
}

/// What may stand in names of types, fields and strings, and in keys.
bool is_of_name(char c) {
  return !is_blank(c) && std::string_view("\"#%'(),={}@\\").find(c) == std::string_view::npos;
}

class BibtexReader {
 public:
  BibtexReader(std::string_view text, const std::string& file) : text_(text), file_(file) {
    constexpr std::string_view kMark = "\xEF\xBB\xBF";
    if (text_.starts_with(kMark)) text_.remove_prefix(kMark.size());
  }

  std::vector<BibEntry> run() {
    check_encoding();
    while (find_entry()) read_entry();
    inherit();
    return std::move(entries_);
  }

 private:
  [[noreturn]] void refuse(int line, const std::string& what) const {
    throw Error(Place{.file = file_, .line = line}, what);
  }

  void check_encoding() {
    if (valid_utf8(text_)) return;
    std::size_t at = 0;
    for (std::size_t size; (size = utf8_character(text_.substr(at))) > 0;) at += size;
    const auto lines = std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    refuse(static_cast<int>(lines) + 1, "is not UTF-8; save the file in this encoding");
  }

  bool at_end() const { return at_ >= text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  char take() {
    const char c = text_[at_++];
    if (c == '\n') ++line_;
    return c;
  }
  bool take_if(char wanted) {
    if (at_end() || peek() != wanted) return false;
    take();
    return true;
  }
  void skip_line() {
    while (!at_end() && take() != '\n') {
    }
  }
  void skip_blanks() {
    while (!at_end() && (is_blank(peek()) || peek() == '%')) peek() == '%' ? skip_line() : void(take());
  }
  std::string_view take_name() {
    const std::size_t begin = at_;
    while (!at_end() && is_of_name(peek())) take();
    return text_.substr(begin, at_ - begin);
  }

  /// To what follows the next @; an address of mail begins no entry.
  bool find_entry() {
    for (char before = ' '; !at_end();) {
      if (peek() == '%') {
        skip_line();
        before = ' ';
        continue;
      }
      const char c = take();
      if (c == '@' && !is_word(before)) return true;
      before = c;
    }
    return false;
  }

  void read_entry() {
    BibEntry entry{.type = {}, .key = {}, .line = line_, .fields = {}, .parent = {}};
    skip_blanks();
    entry.type = small_letters(take_name());
    skip_blanks();
    const char open = peek();
    const bool begins = open == '{' || open == '(';
    if (entry.type == "comment") {
      if (begins) skip_comment(entry.line);
      return;
    }
    if (entry.type.empty() || !begins) {
      refuse(entry.line, "after @ an entry's type and { are missing; write @article{key, title = {…}}");
    }
    take();
    close_ = open == '{' ? '}' : ')';
    what_ = "this @" + entry.type;
    begin_ = entry.line;
    if (entry.type == "string") return read_string();
    if (entry.type == "preamble") {
      read_value();
      return read_close();
    }
    skip_blanks();
    entry.key = take_name();
    if (entry.key.empty()) refuse(line_, what_ + " has no key; write @" + entry.type + "{key, …}");
    what_ += " `" + entry.key + "`";
    check_key(entry);
    read_fields(entry);
    entries_.push_back(std::move(entry));
  }

  void skip_comment(int begin) {
    const char open = take();
    const char close = open == '{' ? '}' : ')';
    for (int depth = 1; depth > 0;) {
      if (at_end()) refuse(begin, std::string("this @comment has no end; add a ") + close);
      const char c = take();
      depth += c == open ? 1 : c == close ? -1 : 0;
    }
  }

  /// Upper and lower case of keys are alike.
  void check_key(const BibEntry& entry) {
    const auto [first, is_new] = keys_.try_emplace(small_letters(entry.key), entries_.size());
    if (!is_new)
      refuse(entry.line, "the key `" + entry.key + "` is that of line " +
                             std::to_string(entries_[first->second].line) +
                             ", too; give one of them another");
  }

  void read_string() {
    skip_blanks();
    const std::string name = small_letters(take_name());
    if (name.empty()) refuse(line_, "this @string has no name; write @string{name = \"…\"}");
    read_equals(name);
    strings_[name] = read_value();
    read_close();
  }

  void read_fields(BibEntry& entry) {
    for (skip_blanks(); !take_if(close_); skip_blanks()) {
      if (at_end()) refuse_end();
      if (!take_if(',')) {
        const std::string after = entry.fields.empty() ? "its key" : "`" + entry.fields.back().name + "`";
        refuse(line_, "in " + what_ + " a comma is missing after " + after +
                          "; write one, or balance the braces before");
      }
      skip_blanks();
      if (take_if(close_)) return;
      if (at_end()) refuse_end();
      BibEntry::Field field{.name = small_letters(take_name()), .value = {}, .line = line_};
      if (field.name.empty()) refuse(line_, "in " + what_ + " a field has no name; write title = {…}");
      if (std::ranges::find(entry.fields, field.name, &BibEntry::Field::name) != entry.fields.end())
        refuse(line_, what_ + " has `" + field.name + "` twice; keep one");
      read_equals(field.name);
      field.value = read_value();
      entry.fields.push_back(std::move(field));
    }
  }

  void read_equals(const std::string& name) {
    skip_blanks();
    if (!take_if('=')) refuse(line_, "after `" + name + "` a = is missing; write " + name + " = {…}");
  }

  void read_close() {
    skip_blanks();
    if (at_end()) refuse_end();
    if (!take_if(close_)) refuse(line_, what_ + " goes on after its value; end it with " + close_);
  }

  [[noreturn]] void refuse_end() const {
    refuse(begin_, what_ + " has no end; add the " + close_ + " that is missing");
  }

  /// Parts joined by #: in braces, in quotes, numbers, names of strings.
  std::string read_value() {
    std::string value;
    do {
      skip_blanks();
      if (peek() == '{' || peek() == '"') {
        value += read_delimited();
      } else {
        value += read_bare();
      }
      if (value.size() > kMostValue)
        refuse(line_, "in " + what_ + " a value is longer than 64 KB; shorten it");
      skip_blanks();
    } while (take_if('#'));
    return value;
  }

  std::string_view read_delimited() {
    const int begin = line_;
    const bool quoted = take() == '"';
    const std::size_t from = at_;
    for (int depth = 0; !at_end();) {
      const char c = take();
      if (depth == 0 && c == (quoted ? '"' : '}')) return text_.substr(from, at_ - from - 1);
      if (c == '{') ++depth;
      if (c == '}' && --depth < 0) refuse(line_, "in " + what_ + " a } has no {; remove it, or add the {");
    }
    refuse(begin, "the value that begins here, in " + what_ + ", has no end; balance its braces" +
                      (quoted ? " and quotes" : ""));
  }

  std::string read_bare() {
    const std::string name(take_name());
    if (name.empty()) refuse(line_, "in " + what_ + " a value is missing; write it in braces");
    if (std::all_of(name.begin(), name.end(), is_digit)) return name;
    const auto known = strings_.find(small_letters(name));
    if (known != strings_.end()) return known->second;
    std::vector<std::string> names;
    for (const auto& [each, value] : strings_) names.push_back(each);
    const std::string near = nearest(small_letters(name), names);
    refuse(line_,
           "no @string defines `" + name + "`; " +
               (near.empty() ? "define it, or write the value in braces" : "did you mean `" + near + "`?"));
  }

  /// Gives entries the fields of those that their crossref names; a book's title is that of its parts' book.
  void inherit() {
    const std::vector<BibEntry> written = entries_;
    for (BibEntry& entry : entries_) {
      const BibEntry::Field* const reference = entry.find("crossref");
      if (reference == nullptr) continue;
      const std::string key(trim(reference->value));
      const auto parent = keys_.find(small_letters(key));
      if (parent == keys_.end() || &entries_[parent->second] == &entry)
        refuse(reference->line, "there is no other entry `" + key + "`; correct this crossref");
      entry.parent = written[parent->second].key;
      for (BibEntry::Field field : written[parent->second].fields) {
        if (field.name == "crossref") continue;
        if (field.name == "title") field.name = "booktitle";
        if (entry.find(field.name) == nullptr) entry.fields.push_back(std::move(field));
      }
    }
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  int line_ = 1;

  // Of the entry that is being read:
  std::string what_;
  char close_ = '}';
  int begin_ = 1;

  std::vector<BibEntry> entries_;
  std::map<std::string, std::size_t> keys_;  ///< the entries that have them
  std::map<std::string, std::string> strings_{{"jan", "January"}, {"feb", "February"}, {"mar", "March"},
                                              {"apr", "April"},   {"may", "May"},      {"jun", "June"},
                                              {"jul", "July"},    {"aug", "August"},   {"sep", "September"},
                                              {"oct", "October"}, {"nov", "November"}, {"dec", "December"}};
};

}  // namespace

const BibEntry::Field* BibEntry::find(std::string_view name) const {
  const auto found = std::ranges::find_if(
      fields, [name](const Field& field) { return field.name == name && !trim(field.value).empty(); });
  return found == fields.end() ? nullptr : &*found;
}

std::vector<BibEntry> parse_bibtex(std::string_view text, const std::string& file) {
  return BibtexReader(text, file).run();
}

std::vector<BibEntry> read_bibtex(const std::string& path) {
  return parse_bibtex(read_file(path), std::filesystem::path(path).filename().string());
}

}  // namespace lectern
