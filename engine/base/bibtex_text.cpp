#include "base/bibtex_text.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/characters.h"
#include "base/utf8.h"

namespace lectern {
namespace {

/// A command of LaTeX that puts an accent on the letter after it. `letters` has pairs: a letter, and the
/// character that it becomes; another letter is followed by the combining character.
struct LatexAccent {
  char command;
  char32_t combining;
  std::string_view letters;
};
constexpr auto kAccents = std::to_array<LatexAccent>({
    {'`', U'\u0300', "AÀEÈIÌNǸOÒUÙWẀYỲaàeèiìnǹoòuùwẁyỳ"},
    {'\'', U'\u0301', "AÁCĆEÉGǴIÍKḰLĹMḾNŃOÓPṔRŔSŚUÚWẂYÝZŹaácćeégǵiíkḱlĺmḿnńoópṕrŕsśuúwẃyýzź"},
    {'^', U'\u0302', "AÂCĈEÊGĜHĤIÎJĴOÔSŜUÛWŴYŶaâcĉeêgĝhĥiîjĵoôsŝuûwŵyŷ"},
    {'"', U'\u0308', "AÄEËIÏOÖUÜWẄYŸaäeëiïoöuüwẅyÿ"},
    {'~', U'\u0303', "AÃEẼIĨNÑOÕUŨYỸaãeẽiĩnñoõuũyỹ"},
    {'=', U'\u0304', "AĀEĒIĪOŌUŪYȲaāeēiīoōuūyȳ"},
    {'.', U'\u0307', "AȦCĊEĖGĠIİZŻaȧcċeėgġzż"},
    {'u', U'\u0306', "AĂEĔGĞIĬOŎUŬaăeĕgğiĭoŏuŭ"},
    {'v', U'\u030C', "AǍCČDĎEĚGǦIǏLĽNŇOǑRŘSŠTŤUǓZŽaǎcčdďeěgǧiǐlľnňoǒrřsštťuǔzž"},
    {'H', U'\u030B', "OŐUŰoőuű"},
    {'c', U'\u0327', "CÇEȨGĢKĶLĻNŅRŖSŞTŢcçeȩgģkķlļnņrŗsştţ"},
    {'k', U'\u0328', "AĄEĘIĮOǪUŲaąeęiįoǫuų"},
    {'r', U'\u030A', "AÅUŮaåuů"},
    {'d', U'\u0323', "AẠEẸIỊOỌUỤYỴaạeẹiịoọuụyỵ"},
    {'b', U'\u0331', ""},
});

struct LatexSign {
  std::string_view command, text;
};
constexpr auto kSigns = std::to_array<LatexSign>({
    {"ss", "ß"},
    {"ae", "æ"},
    {"AE", "Æ"},
    {"oe", "œ"},
    {"OE", "Œ"},
    {"aa", "å"},
    {"AA", "Å"},
    {"o", "ø"},
    {"O", "Ø"},
    {"l", "ł"},
    {"L", "Ł"},
    {"i", "ı"},
    {"j", "ȷ"},
    {"dh", "ð"},
    {"DH", "Ð"},
    {"dj", "đ"},
    {"DJ", "Đ"},
    {"th", "þ"},
    {"TH", "Þ"},
    {"S", "§"},
    {"P", "¶"},
    {"copyright", "©"},
    {"pounds", "£"},
    {"dots", "…"},
    {"ldots", "…"},
    {"textendash", "–"},
    {"textemdash", "—"},
    {"textquoteleft", "‘"},
    {"textquoteright", "’"},
    {"textquotedblleft", "“"},
    {"textquotedblright", "”"},
    {"textasciitilde", "~"},
    {"textbackslash", "\\"},
    {"textunderscore", "_"},
    {"times", "×"},
    {"alpha", "α"},
    {"beta", "β"},
});

/// They change how text looks, not what it says.
constexpr auto kTypefaces = std::to_array<std::string_view>(
    {"emph",   "textit",     "textbf", "texttt", "textsc", "textrm",  "textsf", "textsl",
     "textup", "textnormal", "mathrm", "mathbf", "mathit", "mathcal", "mbox",   "em",
     "it",     "bf",         "tt",     "sc",     "rm",     "url"});

/// Runs of characters that LaTeX makes one of; the longer ones first.
constexpr auto kRuns =
    std::to_array<LatexSign>({{"---", "—"}, {"--", "–"}, {"``", "“"}, {"''", "”"}, {"~", " "}});

constexpr int kMostAccents = 3;  // on one letter

/// Of commands.
bool is_latex_letter(char c) {
  return is_letter(c) && c != '_';
}

const LatexAccent* find_accent(std::string_view command) {
  if (command.size() != 1) return nullptr;
  const auto found = std::ranges::find(kAccents, command.front(), &LatexAccent::command);
  return found == kAccents.end() ? nullptr : found;
}

std::string accented(const LatexAccent& accent, std::string_view letter) {
  for (std::string_view rest = accent.letters; !rest.empty();) {
    const std::string_view plain = next_character(rest);
    rest.remove_prefix(plain.size());
    const std::string_view composed = next_character(rest);
    rest.remove_prefix(composed.size());
    if (plain == letter) return std::string(composed);
  }
  std::string text(letter);
  append_utf8(text, accent.combining);
  return text;
}

class LatexReader {
 public:
  explicit LatexReader(std::string_view latex) : rest_(latex) {}

  std::string run() {
    while (!rest_.empty()) add_next();
    if (out_.ends_with(' ')) out_.pop_back();
    return std::move(out_);
  }

 private:
  void add_next() {
    if (rest_.front() == '\\') return add_command();
    for (const LatexSign& run : kRuns) {
      if (!rest_.starts_with(run.command)) continue;
      rest_.remove_prefix(run.command.size());
      return add(run.text);
    }
    const std::string_view character = next_character(rest_);
    rest_.remove_prefix(character.size());
    if (character == "{" || character == "}" || character == "$") return;
    add(is_blank(character.front()) ? " " : character);
  }

  void add(std::string_view text) {
    if (text != " ") {
      out_ += text;
    } else if (!out_.empty() && !out_.ends_with(' ')) {
      out_ += ' ';
    }
  }

  /// After the backslash: letters and the blanks behind them, or one other character.
  std::string_view take_command() {
    rest_.remove_prefix(1);
    std::size_t size = 0;
    while (size < rest_.size() && is_latex_letter(rest_[size])) ++size;
    const bool word = size > 0;
    if (!word) size = rest_.empty() ? 0 : next_character(rest_).size();
    const std::string_view command = rest_.substr(0, size);
    rest_.remove_prefix(size);
    while (word && !rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
    return command;
  }

  void add_command() {
    const std::string_view command = take_command();
    if (const LatexAccent* const accent = find_accent(command)) {
      out_ += accented_letter(*accent, kMostAccents);
    } else if (const auto sign = std::ranges::find(kSigns, command, &LatexSign::command);
               sign != kSigns.end()) {
      out_ += sign->text;
    } else if (command.empty() || std::ranges::find(kTypefaces, command) != kTypefaces.end()) {
      return;
    } else if (is_latex_letter(command.front())) {
      out_.append("\\").append(command).append(" ");
    } else if (std::string_view("-/!").find(command.front()) == std::string_view::npos) {
      add(std::string_view(" ,;:\\\n\t").find(command.front()) == std::string_view::npos ? command : " ");
    }
  }

  std::string accented_letter(const LatexAccent& accent, int most) {
    while (!rest_.empty() && (rest_.front() == '{' || is_blank(rest_.front()))) rest_.remove_prefix(1);
    if (rest_.empty() || rest_.front() == '}' || most == 0) return {};
    if (rest_.front() == '\\') {
      const std::string_view command = take_command();
      if (const LatexAccent* const inner = find_accent(command)) {
        std::string letter = accented_letter(*inner, most - 1);
        if (!letter.empty()) append_utf8(letter, accent.combining);
        return letter;
      }
      return accented(accent, command);  // \i and \j are letters without their dots
    }
    const std::string_view letter = next_character(rest_);
    rest_.remove_prefix(letter.size());
    return accented(accent, letter);
  }

  std::string_view rest_;
  std::string out_;
};

/// The parts between separators outside of braces; `separator(rest)` is the length of the one that the rest
/// begins with.
template <typename Separator>
std::vector<std::string_view> split_outside_braces(std::string_view text, Separator separator) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    depth += text[at] == '{' ? 1 : text[at] == '}' ? -1 : 0;
    const std::size_t size = depth == 0 ? separator(text.substr(at)) : 0;
    if (size == 0) continue;
    parts.push_back(trim(text.substr(begin, at - begin)));
    begin = at + size;
    at = begin - 1;
  }
  parts.push_back(trim(text.substr(begin)));
  std::erase(parts, std::string_view());
  return parts;
}

std::size_t and_length(std::string_view rest) {
  const bool separates = rest.size() > 4 && is_blank(rest[0]) && to_lower(rest[1]) == 'a' &&
                         to_lower(rest[2]) == 'n' && to_lower(rest[3]) == 'd' && is_blank(rest[4]);
  return separates ? 4 : 0;  // the blank behind may begin the next one
}

std::size_t comma_length(std::string_view rest) {
  return rest.front() == ',' ? 1 : 0;
}

std::size_t word_end_length(std::string_view rest) {
  return is_blank(rest.front()) || rest.front() == '~' ? 1 : 0;
}

/// In "First von Last": from the first word in small letters on, else the last word.
std::string family_of(std::string_view name) {
  const std::vector<std::string_view> words = split_outside_braces(name, word_end_length);
  const auto is_small = [](std::string_view word) { return word.front() >= 'a' && word.front() <= 'z'; };
  const auto small = std::find_if(words.begin(), words.end(), is_small);
  if (words.empty()) return {};
  if (small == words.end() || small + 1 == words.end()) return text_of_latex(words.back());
  return text_of_latex(name.substr(static_cast<std::size_t>(small->data() - name.data())));
}

BibName name_of(std::string_view latex) {
  const std::vector<std::string_view> parts = split_outside_braces(latex, comma_length);
  if (parts.empty()) return {};
  const std::string family = parts.size() == 1 ? family_of(parts[0]) : text_of_latex(parts[0]);
  if (parts.size() == 1) return {text_of_latex(parts[0]), family};
  std::string whole = text_of_latex(parts.back()) + " " + family;
  if (parts.size() > 2) whole += " " + text_of_latex(parts[1]);
  return {whole, family};
}

}  // namespace

std::string text_of_latex(std::string_view latex) {
  return LatexReader(latex).run();
}

std::string url_of_latex(std::string_view latex) {
  std::string url;
  for (std::string_view rest = trim(latex); !rest.empty(); rest.remove_prefix(1)) {
    constexpr std::string_view kCommand = "\\url{";
    if (rest.starts_with(kCommand)) rest.remove_prefix(kCommand.size() - 1);
    if (std::string_view("\\{}").find(rest.front()) == std::string_view::npos) url += rest.front();
  }
  return url;
}

std::vector<BibName> names_of_latex(std::string_view latex) {
  std::vector<BibName> names;
  for (const std::string_view part : split_outside_braces(latex, and_length)) {
    const BibName name = name_of(part);
    if (!name.whole.empty()) names.push_back(name);
  }
  if (names.size() > 1 && names.back().whole == "others") names.back() = {std::string(kEtAl), {}};
  return names;
}

}  // namespace lectern
