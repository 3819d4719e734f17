// Lecture 1: tokenization. From characters, bytes and words to byte-pair encoding, trained on real text.

#include <functional>
#include <set>
#include <stdexcept>

#include <fmt/format.h>
#include <lectern/lecture.h>

#include "lecture_01_tokenization/pieces.h"
#include "lecture_01_tokenization/tokenizer_calculator.h"
#include "shared/bible.h"
#include "shared/references.h"
#include "shared/seconds_of.h"
#include "shared/with_commas.h"

using namespace lectern;

void a_model_reads_integers(), what_tokenizers_do(), strings_code_points_bytes();
void character_tokens(), byte_tokens(), word_tokens();
void byte_pair_encoding(), pre_tokenization(), training_on_a_book();
void encoding_and_decoding(), compression_and_vocabulary(), other_scripts();
void common_mistakes(), summary();

int main() {
  lecture(
      {.title = "Tokenization",
       .date = "2026-11-21",
       .authors = {"The Lectern authors"},
       .tags = {"tokenization", "Unicode", "byte-pair encoding"},
       .description = "How text becomes the integers that a language model reads: characters, bytes, words, and "
                      "byte-pair encoding trained step by step, on a line and then on a book.",
       .series = "Training language models",
       .order = 1,
       .goals = {"mechanics: train a byte-pair tokenizer, and encode and decode any text with it",
                 "mindset: judge a tokenizer by what it saves on a named text, and by whether it gives the text back",
                 "intuition: say what a larger vocabulary costs, and which texts pay for it"},
       .prerequisites = {"C++: functions, classes, the standard library's containers"}});
  a_model_reads_integers();
  what_tokenizers_do();
  strings_code_points_bytes();
  character_tokens();
  byte_tokens();
  word_tokens();
  byte_pair_encoding();
  pre_tokenization();
  training_on_a_book();
  encoding_and_decoding();
  compression_and_vocabulary();
  other_scripts();
  common_mistakes();
  summary();
}

// What every tokenizer of this lecture can do.
struct Tokenizer {
  virtual ~Tokenizer() = default;
  virtual std::vector<int> encode(std::string_view text) const = 0;
  virtual std::string decode(const std::vector<int>& tokens) const = 0;
};

double bytes_per_token(std::size_t bytes, std::size_t tokens) {
  return static_cast<double>(bytes) / static_cast<double>(tokens);
}

void a_model_reads_integers() {
  text("## A model reads integers");
  text(R"(
    A language model never sees a letter. It is a function on sequences of integers: it takes the tokens so far and
    gives a probability to each possible next one. Somebody has to turn text into those integers before the model, and
    integers into text after it. That somebody is the *tokenizer*, and this lecture builds four.)");
  text(R"(
    A tokenizer is a pair of functions. `encode` takes a string to a list of integers, each below the size of the
    *vocabulary*; `decode` takes the list back to a string.)");
  text("Two numbers tell most of what one wants to know about a tokenizer, and one property should hold:");
  text(R"(
    - the **vocabulary size**: how many different tokens there are. The model keeps a vector for each of them, so it
      pays for all of them, used or not.
    - the **compression ratio**: how many bytes of text one token stands for, on average. The model does its work once
      per token, so a higher ratio is cheaper text.
    - the **round trip**: `decode(encode(text)) == text`, for every text.)");
  callout(Callout::definition, R"(
    For a text of $b$ bytes that is encoded as $n$ tokens, the compression ratio is $r = b / n$, in bytes per token.
    It is a property of a tokenizer *and* a text: quote it with the text that it was measured on.)",
          "Compression ratio");
  text(R"(
    A first example with known numbers. GPT-2 encodes `Hello, world!` as the four tokens 15496, 11, 995 and 0. They
    stand for `Hello`, `,`, `␣world` and `!`, where `␣` is a space.)");
  const std::string greeting = "Hello, world!";
  const std::vector<int> gpt2_tokens = {15496, 11, 995, 0};                   // @inspect gpt2_tokens
  const double ratio = bytes_per_token(greeting.size(), gpt2_tokens.size());  // @stepover @inspect ratio
  assert(ratio == 3.25);
  text("Thirteen bytes in four tokens: 3.25 bytes per token."), link(works::gpt2);
  text("The order of topics follows the tokenization part of the first lecture of Stanford's course CS336."),
      link(works::cs336);
  note("Ask the room first: how many tokens has the sentence on the slide? Most guess the number of words.");
}

// Two neighbouring tokens, left and right. Pairs are ordered by their left token, then by their right one.
using Pair = std::pair<int, int>;

// Byte-pair encoding. Tokens 0 to 255 are the bytes; token 256 + k is what the k-th merge joins.
class BpeTokenizer : public Tokenizer {
 public:
  explicit BpeTokenizer(std::vector<Pair> pairs);  // to merge, in this order

  std::vector<int> encode(std::string_view text) const override;
  std::string decode(const std::vector<int>& tokens) const override;
  std::vector<int> encode_piece(std::string_view piece) const;

  // Tokens as readable text, with | between them.
  std::string spell(const std::vector<int>& tokens) const;
  std::string split(std::string_view text) const;

  std::size_t size() const { return bytes_of_.size(); }
  const std::vector<Pair>& pairs() const { return pairs_; }
  const std::string& bytes_of(int token) const { return bytes_of_[static_cast<std::size_t>(token)]; }

 private:
  using Merges = std::map<Pair, int>;
  Merges::const_iterator earliest_merge(const std::vector<int>& tokens) const;

  std::vector<Pair> pairs_;
  std::vector<std::string> bytes_of_;  // by token
  Merges merges_;                      // which token a pair becomes
};

// The first tokens of one training on the Old Testament, in the King James Version; 8,192 at most.
BpeTokenizer bible_tokenizer(std::size_t vocabulary_size);

void what_tokenizers_do() {
  text("## What tokenizers do to text");
  text(R"(
    Before we build one, let us watch one. This is a byte-pair encoding with 4,096 tokens, trained on the Old
    Testament in the King James Version, every verse with its reference in front (`Ge1:1 In the beginning …`). How it
    was trained is what the rest of the lecture explains; for now it is a black box to poke at. A `|` marks the border
    between two tokens.)");
  const BpeTokenizer tokenizer = bible_tokenizer(4'096);  // @stepover
  assert(tokenizer.size() == 4'096);                      // @stepover

  text(R"(
    **A space belongs to the word after it.** The most frequent words are single tokens, and each begins with a space.
    Without its space, the same word is another string, and not even one token:)");
  assert(tokenizer.split(" world") == " world");  // @stepover
  assert(tokenizer.split("world") == "wor|ld");   // @stepover
  text(R"(
    **So position matters.** At the beginning of a text no space comes before a word. In our training text, a
    reference stands before each verse, so hardly any word ever began a line, and even the `In` of the very first
    verse falls apart when its space is missing:)");
  assert(tokenizer.split("In the beginning") == "I|n| the| beginning");                 // @stepover
  assert(tokenizer.split("Ge1:1 In the beginning") == "Ge|1|:|1| In| the| beginning");  // @stepover
  text(R"(
    **So does case.** These are three tokens with nothing in common; that they mean related things is left for the
    model to learn:)");
  const std::vector<int> lords = tokenizer.encode(" lord Lord LORD");  // @stepover @inspect lords
  assert(tokenizer.split(" lord Lord LORD") == " lord| Lord| LORD");   // @stepover
  assert(lords.size() == 3 && lords[0] != lords[1] && lords[1] != lords[2]);
  text(R"(
    **Numbers fall apart in an irregular way.** A number is one token if it was frequent enough in the training text.
    Here that means: if enough chapters have a verse of that number.)");
  assert(tokenizer.split("66") == "66");       // @stepover
  assert(tokenizer.split("67") == "6|7");      // @stepover
  assert(tokenizer.split("119") == "119");     // @stepover
  assert(tokenizer.split("120") == "12|0");    // @stepover
  assert(tokenizer.split("1611") == "16|11");  // @stepover
  text(R"(
    A model that adds 66 and 67 has to know that one of them is a symbol of its own and that the other is made of a 6
    and a 7. Some later tokenizers cut every number into single digits, or into groups of three.)");
  text("**What is rare is long.** A word that the training text did not know still works. It only costs more.");
  assert(tokenizer.split(" tokenizer") == " to|ken|iz|er");  // @stepover
  text("All of this is the work of a simple algorithm and its training text. None of it is linguistics.");
  text("Now poke at it yourself:");
  std::string merges;
  for (const auto& [left, right] : tokenizer.pairs()) merges += fmt::format("{} {} ", left, right);  // @stepover
  assert(tokenizer_calculator::Encoding(merges).encode("Ge1:1 In 1611") ==
         tokenizer.encode("Ge1:1 In 1611"));  // @stepover
  // @stepover
  calculator("Text to tokens",
             {{.name = "text", .label = "Text", .value = " the lord, the Lord and 119 or 120 tokenizers", .lines = 3},
              {.name = "merges", .value = merges, .hidden = true}},
             text_to_tokens);
  note(R"(
    Good moment for a live question: why would a prompt that ends in a space confuse such a model? (Because the model
    has mostly seen the space as the first byte of the next word.))");
}

std::string utf8_encode(char32_t code_point);

std::vector<char32_t> code_points(std::string_view bytes);

void strings_code_points_bytes() {
  text("## Strings, code points, bytes");
  text("What is a string made of? There are three honest answers, and mixing them up is a classic source of bugs.");
  text(R"(
    The Unicode standard gives a number to each character of the world's scripts: its *code point*, written `U+` and
    hexadecimal digits. There is room for 1,114,112 of them, about 155 thousand are assigned. `A` is U+0041, `你` is
    U+4F60, `🌍` is U+1F30D.)"),
      link(works::unicode);
  assert(U'A' == 0x41);
  assert(U'你' == 0x4F60);
  assert(U'🌍' == 0x1F30D);

  text(R"(
    A file or a network holds bytes, so code points have to be written as bytes. *UTF-8* is how nearly all text is
    stored today. It takes one to four bytes per code point, and the first byte says how many:)");
  table({"code points", "bytes", "first byte", "each following byte"},
        {{"U+0000 to U+007F", "1", "`0xxxxxxx`", ""},
         {"U+0080 to U+07FF", "2", "`110xxxxx`", "`10xxxxxx`"},
         {"U+0800 to U+FFFF", "3", "`1110xxxx`", "`10xxxxxx`"},
         {"U+10000 to U+10FFFF", "4", "`11110xxx`", "`10xxxxxx`"}});
  text(R"(
    The `x` are the bits of the code point, in order. ASCII text is UTF-8 text as it stands, and no byte of a longer
    sequence can be taken for an ASCII character. Here is the encoder, at work on `你`:)"),
      link(utf8_encode);
  const std::string ni = utf8_encode(U'你');  // @inspect ni
  assert(ni == "\xE4\xBD\xA0");
  text(R"(
    The decoder goes the other way, and is strict: it accepts only what the encoder would have written. Cut-off
    sequences, longer spellings than needed and stray bytes are all errors, as the standard demands.)"),
      link(first_code_point);
  const Decoded decoded = first_code_point("你好");  // @inspect decoded
  assert(decoded.code_point == U'你');
  assert(decoded.length == 3);

  text("A `std::string` in C++ is a sequence of bytes and knows nothing of characters; `size()` counts bytes.");
  const std::string hello = "你好";
  assert(hello.size() == 6);
  assert(code_points(hello).size() == 2);  // @stepover
  const std::string globe = "🌍";
  assert(globe.size() == 4);
  assert(code_points(globe).size() == 1);  // @stepover
  text(R"(
    And the third answer: what a reader takes for one character may be several code points. An `é` may be written as
    `e` and a combining accent; a family is three people, held together by invisible joiners.)");
  const std::string accented = "e\u0301";  // é
  assert(accented.size() == 3);
  assert(code_points(accented).size() == 2);  // @stepover
  const std::string family = "👩‍👩‍👧";
  assert(family.size() == 18);
  assert(code_points(family).size() == 5);  // @stepover
  text("Bytes, code points, and what a reader sees (*grapheme clusters*): three lengths of one string.");
  image("figures/lecture_01_tokenization/text_to_tokens.svg",
        {.alt = "The text '! 你好!' in four rows: five characters, five code points U+0021, U+0020, U+4F60, U+597D and "
                "U+0021, nine bytes 21 20 e4 bd a0 e5 a5 bd 21, and the seven GPT-2 tokens 0, 220, 19526, 254, 25001, "
                "121 and 0. The borders between tokens fall inside both Chinese characters.",
         .caption = "The same short text as characters, code points, bytes and GPT-2's tokens.",
         .width = 700});
}

std::string utf8_encode(char32_t code_point) {
  const bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
  if (code_point > 0x10FFFF || surrogate) throw std::invalid_argument("not a code point that UTF-8 can hold");
  if (code_point < 0x80) return {static_cast<char>(code_point)};
  const int following = code_point < 0x800 ? 1 : code_point < 0x10000 ? 2 : 3;
  const char32_t mark = 0xFF00 >> (following + 1) & 0xFF;                       // @inspect following mark
  std::string bytes = {static_cast<char>(mark | code_point >> 6 * following)};  // @inspect bytes
  for (int i = following - 1; i >= 0; --i) {
    bytes += static_cast<char>(0x80 | (code_point >> 6 * i & 0x3F));  // @inspect bytes
  }
  return bytes;
}

Decoded first_code_point(std::string_view bytes) {
  const auto lead = static_cast<unsigned char>(bytes.at(0));  // @inspect lead
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;  // @inspect length
  char32_t code_point = lead & (0x7F >> length);
  for (const char byte : bytes.substr(1, length - 1)) {
    code_point = code_point << 6 | (static_cast<unsigned char>(byte) & 0x3F);  // @inspect code_point
  }
  const bool strict = utf8_encode(code_point) == bytes.substr(0, length);  // @stepover
  if (!strict) throw std::invalid_argument("not UTF-8");
  return {code_point, length};
}

std::vector<char32_t> code_points(std::string_view bytes) {
  std::vector<char32_t> result;
  while (!bytes.empty()) {
    const Decoded next = first_code_point(bytes);  // @stepover
    result.push_back(next.code_point);
    bytes.remove_prefix(next.length);
  }
  return result;
}

class CharacterTokenizer : public Tokenizer {
 public:
  std::vector<int> encode(std::string_view text) const override;
  std::string decode(const std::vector<int>& tokens) const override;
};

void character_tokens() {
  text("## First attempt: characters");
  text("A code point is an integer already. So why not take it as the token?");
  const CharacterTokenizer tokenizer;
  const std::vector<int> tokens = tokenizer.encode("né 你好");  // @inspect tokens
  assert(tokens.size() == 5);
  assert(tokenizer.decode(tokens) == "né 你好");  // @stepover
  text(R"(
    It round-trips, and it could not be simpler. Its weakness is the vocabulary: some 155 thousand entries, and most
    texts use almost none of them. The whole Old Testament makes do with these:)");
  const std::vector<int> old_testament = tokenizer.encode(bible().old_testament);  // @stepover
  const std::set<int> used(old_testament.begin(), old_testament.end());
  const std::string characters = tokenizer.decode({used.begin(), used.end()});  // @stepover @inspect characters
  assert(used.size() == 73);
  text(R"(
    With a vector of 4,096 numbers in 16 bits per entry, the table for 155 thousand entries takes about 1.27 GB, and
    nearly all of its rows would hardly ever be trained.)");
  assert(155'000 * 4'096L * 2 == 1'269'760'000);
  text("Nor does it compress. English is ASCII, so a character is a byte, and each token stands for just one:");
  const double ratio = bytes_per_token(bible().old_testament.size(), old_testament.size());  // @stepover @inspect ratio
  assert(ratio == 1.0);
  text(R"(
    For Chinese, the ratio is 3, though not because anything clever happens: each of those characters merely takes
    three bytes.)");
  assert(std::string("你好").size() / tokenizer.encode("你好").size() == 3);  // @stepover
}

std::vector<int> CharacterTokenizer::encode(std::string_view text) const {
  std::vector<int> tokens;
  for (const char32_t code_point : code_points(text)) tokens.push_back(static_cast<int>(code_point));
  return tokens;
}

std::string CharacterTokenizer::decode(const std::vector<int>& tokens) const {
  std::string text;
  for (const int token : tokens) text += utf8_encode(static_cast<char32_t>(token));
  return text;
}

class ByteTokenizer : public Tokenizer {
 public:
  std::vector<int> encode(std::string_view text) const override;
  std::string decode(const std::vector<int>& tokens) const override;
};

void byte_tokens() {
  text("## Second attempt: bytes");
  text(R"(
    The opposite extreme: take each byte as a token. The vocabulary has 256 entries, no text in any script is foreign
    to it, and nothing is ever unknown.)");
  const ByteTokenizer tokenizer;
  const std::vector<int> tokens = tokenizer.encode("né 你好");  // @inspect tokens
  assert(tokens.size() == 10);
  assert(tokenizer.decode(tokens) == "né 你好");  // @stepover
  text(R"(
    The vocabulary is as small as it gets, and the compression ratio is as bad as it gets: exactly 1, for every
    text.)");
  assert(bytes_per_token(std::string("né 你好").size(), tokens.size()) == 1.0);  // @stepover
  text(R"(
    Long sequences are what a Transformer likes least. In attention every token looks at every earlier one, so a
    sequence of $n$ tokens costs on the order of $n^2$ scores. Were each token to stand for 4 bytes, the same text
    would need a quarter of the tokens and a sixteenth of the scores.)");
  const long bytes = 8'192;
  const long scores_of_bytes = bytes * bytes;               // @inspect scores_of_bytes
  const long scores_of_tokens = (bytes / 4) * (bytes / 4);  // @inspect scores_of_tokens
  assert(scores_of_bytes / scores_of_tokens == 16);
  text(R"(
    A context window of 8,192 tokens would hold 8 KB of text. That is the first two chapters of Genesis, which has
    fifty. We would like fewer tokens.)");
  const std::size_t two_chapters = bible().old_testament.find("Ge3:1 ");  // @stepover
  assert(two_chapters == 7'558);
}

std::vector<int> ByteTokenizer::encode(std::string_view text) const {
  std::vector<int> tokens;
  for (const char byte : text) tokens.push_back(static_cast<unsigned char>(byte));
  return tokens;
}

std::string ByteTokenizer::decode(const std::vector<int>& tokens) const {
  std::string bytes;
  for (const int token : tokens) bytes += static_cast<char>(token);
  return bytes;
}

// How often each distinct piece occurs. The keys are views into the text, which has to outlive them.
using PieceCounts = std::map<std::string_view, long>;
PieceCounts count_pieces(std::string_view text);

class WordTokenizer : public Tokenizer {
 public:
  static constexpr int kUnknown = 0;

  explicit WordTokenizer(const PieceCounts& known);
  std::vector<int> encode(std::string_view text) const override;
  std::string decode(const std::vector<int>& tokens) const override;
  std::size_t size() const { return words_.size(); }

 private:
  std::vector<std::string> words_ = {"<unknown>"};  // by token
  std::map<std::string, int, std::less<>> tokens_;  // by word
};

std::string with_bars(const std::vector<std::string_view>& pieces);
std::vector<TableRow> vocabulary_growth(std::string_view text);

void word_tokens() {
  text("## Third attempt: words");
  text(R"(
    Before neural networks read bytes, language technology read words. Cut the text at the borders of words, and
    number the distinct ones. We cut as GPT-2 does: a word together with the space before it, a number, a run of
    punctuation. (How this is done is explained further down.))");
  assert(with_bars(pieces_of("In the beginning, 2 lights.")) == "In| the| beginning|,| 2| lights|.");  // @stepover
  text("The vocabulary is whatever the training text contains, here the Old Testament:");
  const WordTokenizer tokenizer(count_pieces(bible().old_testament));                 // @stepover
  assert(tokenizer.size() == 11'627);                                                 // @stepover
  const std::vector<int> tokens = tokenizer.encode(bible().new_testament);            // @stepover
  const double ratio = bytes_per_token(bible().new_testament.size(), tokens.size());  // @stepover @inspect ratio
  text(R"(
    On the New Testament, which it has not seen, it needs one token for {:.2f} bytes. That would be splendid, were it
    not for two things. The first: the vocabulary has no end. The more text one reads, the more words turn up, and a
    third of them only once.)",
       ratio);
  table({"bytes read", "pieces", "distinct", "seen only once"}, vocabulary_growth(bible().old_testament));  // @stepover
  text(R"(
    Names, numbers, compounds and misspellings make sure that this never stops. On the scale of the web one would
    count millions of distinct words, and a model can learn little about one that it meets once.)");
  text(R"(
    The second: a word that is not in the vocabulary has no number. The usual way out is one token for everything
    unknown. What goes in there is lost:)");
  const std::vector<int> gospel = tokenizer.encode(" Jesus wept.");  // @stepover @inspect gospel
  assert(gospel.front() == WordTokenizer::kUnknown);
  const std::string decoded = tokenizer.decode(gospel);  // @stepover @inspect decoded
  assert(decoded == "<unknown> wept.");
  const long unknown = std::count(tokens.begin(), tokens.end(), WordTokenizer::kUnknown);
  // @inspect unknown_share
  const double unknown_share = static_cast<double>(unknown) / static_cast<double>(tokens.size());
  assert(fmt::format("{:.3f}", unknown_share) == "0.067");
  text(R"(
    In the New Testament, {:.1f} % of the tokens are unknown to a vocabulary made from the Old one, and they are the
    words that matter most: names of people and books above all. Besides, they spoil every comparison: a model that
    may answer “unknown” is right too easily.)",
       100 * unknown_share);
}

WordTokenizer::WordTokenizer(const PieceCounts& known) {
  for (const auto& [word, count] : known) {
    tokens_.emplace(word, static_cast<int>(words_.size()));
    words_.emplace_back(word);
  }
}

std::vector<int> WordTokenizer::encode(std::string_view text) const {
  std::vector<int> tokens;
  for (const std::string_view piece : pieces_of(text)) {
    const auto found = tokens_.find(piece);
    tokens.push_back(found == tokens_.end() ? kUnknown : found->second);
  }
  return tokens;
}

std::string WordTokenizer::decode(const std::vector<int>& tokens) const {
  std::string text;
  for (const int token : tokens) text += words_.at(static_cast<std::size_t>(token));
  return text;
}

std::string with_bars(const std::vector<std::string_view>& pieces) {
  return fmt::format("{}", fmt::join(pieces, "|"));
}

std::vector<TableRow> vocabulary_growth(std::string_view text) {
  std::vector<TableRow> rows;
  for (const std::size_t parts : {16, 8, 4, 2, 1}) {
    const std::string_view read = text.substr(0, text.size() / parts);
    const std::vector<std::string_view> pieces = pieces_of(read);
    PieceCounts counts;
    for (const std::string_view piece : pieces) ++counts[piece];
    const auto once = std::ranges::count(counts, 1, &PieceCounts::value_type::second);
    rows.push_back({read.size(), pieces.size(), counts.size(), once});
  }
  return rows;
}

std::map<Pair, long> count_pairs(const std::vector<int>& tokens);
Pair most_frequent(const std::map<Pair, long>& counts);
std::vector<int> merge(const std::vector<int>& tokens, Pair pair, int joined);

void byte_pair_encoding() {
  text("## Byte-pair encoding");
  text(R"(
    Bytes never fail but are long; words are short but fail. *Byte-pair encoding* lies between. It starts from bytes
    and joins what often stands together, again and again, until the vocabulary is as large as one wants. Frequent
    words end up as one token, rare ones as a few, and whatever has never been seen is still made of bytes.)");
  text(R"(
    Philip Gage invented it in 1994 to compress data; Sennrich and others brought it to translation in 2016, and GPT-2
    to the bytes of UTF-8.)"),
      link(works::byte_pairs), link(works::subword_units);
  text(R"(
    Training is a loop of three steps: count all pairs of neighbours; take the most frequent one; give it a new token
    and put that in place of each of its occurrences. What is learned is the list of merges, in order.)");
  text("Let us do it by hand, on one line.");
  const std::string line = "she sells sea shells";
  std::vector<int> tokens = ByteTokenizer().encode(line);  // @stepover @inspect tokens
  assert(tokens.size() == 20);

  text("**Count.** The 20 bytes have 19 pairs of neighbours."), link(count_pairs);
  std::map<Pair, long> counts = count_pairs(tokens);  // @inspect counts
  text(R"(
    **Choose.** The space and the `s` stand together three times, more than any other pair. When several pairs are
    equally frequent, we take the smallest: the one whose left token has the lowest number, then its right token. Any
    rule will do, but there has to be one, or two runs would learn two different tokenizers.)"),
      link(most_frequent);
  Pair best = most_frequent(counts);  // @inspect best
  assert(best.first == ' ');
  assert(best.second == 's');
  assert(counts[best] == 3);
  text("**Merge.** The first new token is number 256. It takes the place of each `␣s`, from left to right."),
      link(merge);
  tokens = merge(tokens, best, 256);  // @inspect tokens
  std::vector<Pair> merges = {best};
  assert(tokens.size() == 17);
  assert(BpeTokenizer(merges).spell(tokens) == "s|h|e| s|e|l|l|s| s|e|a| s|h|e|l|l|s");  // @stepover

  text(R"(
    Again, three times. Now there are ties: `he`, `␣se`, `el`, `ll` and `ls` occur twice each, and `el` has the lowest
    numbers (101 and 108). Note what the merges do to each other: once `el` is one token, the pair `ll` is gone, for
    its left half is now inside another token.)");
  for (int joined = 257; joined < 260; ++joined) {
    counts = count_pairs(tokens);          // @stepover
    best = most_frequent(counts);          // @stepover @inspect best
    tokens = merge(tokens, best, joined);  // @stepover @inspect tokens
    merges.push_back(best);
    const std::string spelled = BpeTokenizer(merges).spell(tokens);  // @stepover @inspect spelled
  }
  const BpeTokenizer tokenizer(merges);                                 // @stepover
  assert(tokenizer.spell(tokens) == "s|h|e| s|ells| s|e|a| s|h|ells");  // @stepover
  assert(tokens.size() == 11);
  image("figures/lecture_01_tokenization/merge_tree.svg",
        {.alt = "The 20 bytes of the line 'she sells sea shells' at the bottom. Merge 1 joins each space with the s "
                "after it, merge 2 joins e and l, merge 3 joins l and s, merge 4 joins el and ls to ells. The topmost "
                "boxes are the 11 tokens that remain.",
         .caption = "What the four merges built. The number on a box is that of its merge.",
         .width = 700});
  text("Here we stop, because no pair is left that occurs twice:");
  counts = count_pairs(tokens);                // @stepover
  assert(counts[most_frequent(counts)] == 1);  // @stepover
  text(R"(
    Four merges took the line from 20 tokens to 11, and the vocabulary from 256 to 260. That is the trade in small: a
    larger vocabulary for shorter sequences.)");
  assert(tokenizer.size() == 260);  // @stepover

  text(R"(
    **Encoding** new text replays the merges in the order in which they were learned. In each round it looks for the
    earliest merge that applies anywhere:)");
  const std::vector<int> shells = tokenizer.encode_piece("shells");  // @inspect shells
  assert(tokenizer.spell(shells) == "s|h|ells");                     // @stepover
  text("The word `seal` was not in the line. There is no merge for it, so it stays as bytes, but it is not unknown:");
  assert(tokenizer.spell(tokenizer.encode_piece("seal")) == "s|e|a|l");  // @stepover
  text("**Decoding** is a table look-up: put the bytes of the tokens one after the other.");
  const std::string decoded = tokenizer.decode(shells);  // @inspect decoded
  assert(decoded == "shells");
  assert(tokenizer.decode(tokens) == line);  // @stepover
}

std::map<Pair, long> count_pairs(const std::vector<int>& tokens) {
  std::map<Pair, long> counts;
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    ++counts[Pair{tokens[i - 1], tokens[i]}];
  }
  return counts;
}

Pair most_frequent(const std::map<Pair, long>& counts) {
  Pair best = counts.begin()->first;
  for (const auto& [pair, count] : counts) {   // from the smallest pair to the largest
    if (count > counts.at(best)) best = pair;  // so that an equal one does not replace it
  }
  return best;
}

std::vector<int> merge(const std::vector<int>& tokens, Pair pair, int joined) {
  std::vector<int> merged;
  for (const int token : tokens) {
    const bool completes = !merged.empty() && merged.back() == pair.first && token == pair.second;
    if (completes) {
      merged.back() = joined;
    } else {
      merged.push_back(token);
    }
  }
  return merged;
}

BpeTokenizer::BpeTokenizer(std::vector<Pair> pairs) : pairs_(std::move(pairs)) {
  for (int byte = 0; byte < 256; ++byte) bytes_of_.emplace_back(1, static_cast<char>(byte));
  for (const Pair& pair : pairs_) {
    merges_.emplace(pair, static_cast<int>(bytes_of_.size()));
    bytes_of_.push_back(bytes_of(pair.first) + bytes_of(pair.second));
  }
}

std::vector<int> BpeTokenizer::encode_piece(std::string_view piece) const {
  std::vector<int> tokens = ByteTokenizer().encode(piece);  // @stepover @inspect tokens
  auto earliest = earliest_merge(tokens);
  while (earliest != merges_.end()) {
    const auto& [pair, joined] = *earliest;  // @inspect pair joined
    tokens = merge(tokens, pair, joined);    // @stepover @inspect tokens
    earliest = earliest_merge(tokens);
  }
  return tokens;
}

BpeTokenizer::Merges::const_iterator BpeTokenizer::earliest_merge(const std::vector<int>& tokens) const {
  auto earliest = merges_.end();
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    const auto found = merges_.find({tokens[i - 1], tokens[i]});
    if (found == merges_.end()) continue;
    if (earliest == merges_.end() || earliest->second > found->second) earliest = found;
  }
  return earliest;
}

std::vector<int> BpeTokenizer::encode(std::string_view text) const {
  std::vector<int> tokens;
  for (const std::string_view piece : pieces_of(text)) {
    const std::vector<int> part = encode_piece(piece);
    tokens.insert(tokens.end(), part.begin(), part.end());
  }
  return tokens;
}

std::string BpeTokenizer::decode(const std::vector<int>& tokens) const {
  std::string bytes;
  for (const int token : tokens) bytes += bytes_of(token);
  return bytes;
}

// The bytes as text where they are UTF-8, in hexadecimal where they are not.
std::string printable(const std::string& bytes) {
  try {
    code_points(bytes);
    return bytes;
  } catch (const std::invalid_argument&) {
    std::string hexadecimal;
    for (const char byte : bytes) hexadecimal += fmt::format("<{:02x}>", static_cast<unsigned char>(byte));
    return hexadecimal;
  }
}

std::string BpeTokenizer::spell(const std::vector<int>& tokens) const {
  std::string spelled;
  for (const int token : tokens) spelled += (spelled.empty() ? "" : "|") + printable(bytes_of(token));
  return spelled;
}

std::string BpeTokenizer::split(std::string_view text) const {
  return spell(encode(text));
}

void pre_tokenization() {
  text("## Cutting before merging");
  text(R"(
    On real text, one more step comes first. Left alone, the algorithm would join whatever is frequent, and soon have
    tokens such as `of the`, or `dog.`, `dog!` and `dog?` besides `dog`. Therefore the text is first cut into
    *pieces*, and merges never cross the border of a piece. GPT-2 cuts with this regular expression:)");
  verbatim(R"('(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)");
  text(R"(
    The first alternative that matches at a position wins. Read from left to right, and with `␣` for a space, they
    are:)");
  table(
      {"alternative", "matches"},
      {{"`'(?:[sdmt]|ll|ve|re)`", "the ending of an English contraction: `'s`, `'d`, `'m`, `'t`, `'ll`, `'ve`, `'re`"},
       {R"(`␣?\p{L}+`)", "letters of any script, with one space before them"},
       {R"(`␣?\p{N}+`)", "digits and other numbers, likewise"},
       {R"(`␣?[^\s\p{L}\p{N}]+`)", "what is neither white space nor letter nor number, likewise"},
       {R"(`\s+(?!\S)`)", "white space, but not its last character if something else follows"},
       {R"(`\s+`)", "any other white space"}});
  text(R"(
    `std::regex` cannot run it: it matches single `char`s, not code points, and has no classes such as `\p{L}`. But
    the six alternatives are easily written by hand. Here they are at work:)"),
      link(pieces_of), link(piece_length);
  const std::vector<std::string_view> pieces = pieces_of("I'll go");  // @inspect pieces
  assert(with_bars(pieces) == "I|'ll| go");                           // @stepover
  text("Some more, to see the rules for white space and for other scripts:");
  assert(with_bars(pieces_of("dog. dog! dog?")) == "dog|.| dog|!| dog|?");         // @stepover
  assert(with_bars(pieces_of("one  two   three")) == "one| | two|  | three");      // @stepover
  assert(with_bars(pieces_of("hello, 你好! Grüße")) == "hello|,| 你好|!| Grüße");  // @stepover
  text(R"(
    The pattern has its oddities, and every model that was trained with it has them too. It knows the apostrophe of
    contractions only in lower case, so `LORD'S` is cut otherwise than `Lord's`:)");
  assert(with_bars(pieces_of("the Lord's")) == "the| Lord|'s");   // @stepover
  assert(with_bars(pieces_of("the LORD'S")) == "the| LORD|'|S");  // @stepover
  text("And a combining accent is not a letter, so it tears a word apart:");
  assert(pieces_of("café noir").size() == 2);        // @stepover
  assert(pieces_of("cafe\u0301 noir").size() == 3);  // @stepover
  text(R"(
    Our tables of letters and numbers cover Latin, Greek, Cyrillic, Hebrew, Arabic, Chinese, Japanese and Korean. For
    the rest, a library such as ICU has the complete ones.)"),
      link(class_of);
}

std::vector<Pair> train(const PieceCounts& counts, std::size_t vocabulary_size);
std::vector<Pair> train_naively(std::string_view text, std::size_t vocabulary_size);
std::vector<TableRow> merge_rows(const BpeTokenizer& tokenizer, std::size_t first, std::size_t last);
std::string_view book(std::string_view testament, std::string_view name);

void training_on_a_book() {
  text("## Training on a book");
  text(R"(
    The King James Version is a good first corpus: public, large enough to be interesting, small enough to train on in
    a second. We train on the Old Testament, and keep the New one as text that the tokenizer has not seen.)");
  assert(bible().old_testament.size() == 3'384'937);  // @stepover
  assert(bible().new_testament.size() == 1'019'475);  // @stepover

  text(R"(
    The loop that we did by hand counts all pairs anew before each merge. On a text of millions of bytes, and for
    thousands of merges, that is slow. Two observations make it fast.)"),
      link(train_naively);
  text(R"(
    1. **Count each piece once.** Merges stay inside pieces, and most pieces occur many times. It is enough to keep
       each distinct piece, with its count.
    2. **Count only what changed.** A merge changes only the pieces that contain its pair. So we keep the counts of
       all pairs, and for each pair the pieces it occurs in. To merge, take those pieces out of the counts, merge
       within them, and put them back.)");
  const std::vector<std::string_view> pieces = pieces_of(bible().old_testament);  // @stepover
  const PieceCounts counts = count_pieces(bible().old_testament);                 // @stepover
  const long repeats = static_cast<long>(pieces.size() / counts.size());          // @inspect repeats
  text(R"(
    The Old Testament has {} pieces, but only {} different ones: the first observation alone makes counting {} times
    cheaper. The most frequent piece is `␣the`, with {} occurrences.)",
       with_commas(pieces.size()), with_commas(counts.size()), repeats, with_commas(counts.at(" the")));

  text("The second is the work of a small class that knows, at every moment, which pair is the most frequent:"),
      link(train);
  text("Do both give the same tokenizer? They must, tie for tie. On the book of Ruth, for 300 tokens:");
  const std::string_view ruth = book(bible().old_testament, "Ruth");  // @stepover
  std::vector<Pair> naive;
  std::vector<Pair> fast;
  // @stepover @volatile @inspect naive_seconds
  const double naive_seconds = seconds_of([&] { naive = train_naively(ruth, 300); });
  // @stepover @volatile @inspect fast_seconds
  const double fast_seconds = seconds_of([&] { fast = train(count_pieces(ruth), 300); });
  const double parts = bytes_per_token(bible().old_testament.size(), ruth.size());  // @stepover
  const double naive_minutes = naive_seconds / 44 * (8'192 - 256) * parts / 60;     // @volatile @inspect naive_minutes
  assert(naive == fast);
  assert(fast.size() == 44);
  // @volatile
  text(R"(
    On this machine the simple way took {:.0f} ms, the other {:.1f} ms. At the same rate, the simple way would need
    about {:.0f} minutes for the whole Old Testament and 8,192 tokens.)",
       1e3 * naive_seconds, 1e3 * fast_seconds, naive_minutes);

  text("Now for all of the Old Testament, and 8,192 tokens:");
  std::vector<Pair> merges;
  const double seconds = seconds_of([&] { merges = train(counts, 8'192); });  // @stepover @volatile @inspect seconds
  assert(merges.size() == 8'192 - 256);
  // @volatile
  text("That took {:.2f} s. The first merges, in order, are the most frequent pairs of letters in English:", seconds);
  const BpeTokenizer tokenizer(merges);                                     // @stepover
  table({"token", "joins", "and", "to"}, merge_rows(tokenizer, 256, 268));  // @stepover
  text(R"(
    Three merges make the word `␣the`. A thousand later, we are among whole words, and the end of the list is about
    rare ones:)");
  table({"token", "joins", "and", "to"}, merge_rows(tokenizer, 1'256, 1'262));  // @stepover
  table({"token", "joins", "and", "to"}, merge_rows(tokenizer, 8'186, 8'192));  // @stepover
  assert(tokenizer.bytes_of(258) == " the");
  text(R"(
    The merges come in an order, so a tokenizer contains all smaller ones: with the first 256 merges only, the very
    same list is a tokenizer with 512 tokens. We trained once and may compare all sizes.)");
  note(R"(
    Byte-pair encoding is greedy. It never takes a merge back, even if the token is useless once a longer one has
    swallowed it. Ask for examples: `LOR`, perhaps?)");
}

std::vector<Pair> train_naively(std::string_view text, std::size_t vocabulary_size) {
  std::vector<std::vector<int>> pieces;
  for (const std::string_view piece : pieces_of(text)) pieces.push_back(ByteTokenizer().encode(piece));

  std::vector<Pair> merges;
  while (256 + merges.size() < vocabulary_size) {
    std::map<Pair, long> counts;
    for (const std::vector<int>& piece : pieces) {
      for (const auto& [pair, count] : count_pairs(piece)) counts[pair] += count;
    }
    if (counts.empty()) break;
    const Pair best = most_frequent(counts);
    for (std::vector<int>& piece : pieces) piece = merge(piece, best, static_cast<int>(256 + merges.size()));
    merges.push_back(best);
  }
  return merges;
}

PieceCounts count_pieces(std::string_view text) {
  PieceCounts counts;
  for (const std::string_view piece : pieces_of(text)) ++counts[piece];
  return counts;
}

struct CountedPiece {
  std::vector<int> tokens;
  long count;
};

// The pairs of a set of pieces: how frequent each is, and where it occurs.
class PairIndex {
 public:
  bool empty() const { return ranking_.empty(); }
  Pair most_frequent() const { return ranking_.begin()->second; }
  std::set<std::size_t> pieces_with(Pair pair) const { return places_.at(pair); }

  void put(const CountedPiece& piece, std::size_t number) {
    for (std::size_t i = 1; i < piece.tokens.size(); ++i) {
      const Pair pair = {piece.tokens[i - 1], piece.tokens[i]};
      change(pair, piece.count);
      places_[pair].insert(number);
    }
  }

  void take(const CountedPiece& piece, std::size_t number) {
    for (std::size_t i = 1; i < piece.tokens.size(); ++i) {
      const Pair pair = {piece.tokens[i - 1], piece.tokens[i]};
      change(pair, -piece.count);
      places_[pair].erase(number);
    }
  }

 private:
  void change(Pair pair, long difference) {
    long& count = counts_[pair];
    ranking_.erase({-count, pair});
    count += difference;
    if (count > 0) ranking_.insert({-count, pair});
  }

  std::map<Pair, long> counts_;
  std::map<Pair, std::set<std::size_t>> places_;
  std::set<std::pair<long, Pair>> ranking_;  // negative counts: the most frequent
                                             // first, of equals the smallest pair
};

std::vector<Pair> train(const PieceCounts& counts, std::size_t vocabulary_size) {
  std::vector<CountedPiece> pieces;
  for (const auto& [piece, count] : counts) pieces.push_back({ByteTokenizer().encode(piece), count});

  PairIndex index;
  for (std::size_t i = 0; i < pieces.size(); ++i) index.put(pieces[i], i);

  std::vector<Pair> merges;
  while (256 + merges.size() < vocabulary_size && !index.empty()) {
    const Pair best = index.most_frequent();
    const int joined = static_cast<int>(256 + merges.size());
    for (const std::size_t i : index.pieces_with(best)) {
      index.take(pieces[i], i);
      pieces[i].tokens = merge(pieces[i].tokens, best, joined);
      index.put(pieces[i], i);
    }
    merges.push_back(best);
  }
  return merges;
}

// A token as a cell of a table, its spaces made visible.
std::string code(const std::string& bytes) {
  std::string shown;
  for (const char byte : printable(bytes)) shown += byte == ' ' ? "␣" : std::string(1, byte);
  return "`" + shown + "`";
}

std::vector<TableRow> merge_rows(const BpeTokenizer& tokenizer, std::size_t first, std::size_t last) {
  std::vector<TableRow> rows;
  for (std::size_t token = first; token < last; ++token) {
    const Pair pair = tokenizer.pairs().at(token - 256);
    rows.push_back({token, code(tokenizer.bytes_of(pair.first)), code(tokenizer.bytes_of(pair.second)),
                    code(tokenizer.bytes_of(static_cast<int>(token)))});
  }
  return rows;
}

BpeTokenizer bible_tokenizer(std::size_t vocabulary_size) {
  static const std::vector<Pair> merges = train(count_pieces(bible().old_testament), 8'192);
  return BpeTokenizer({merges.begin(), merges.begin() + static_cast<std::ptrdiff_t>(vocabulary_size - 256)});
}

std::vector<int> encode_naively(const BpeTokenizer& tokenizer, std::string_view text);
int gpt2_token_of(unsigned char byte);

void encoding_and_decoding() {
  text("## Encoding and decoding");
  text(R"(
    Back to the tokenizer of the beginning, with 4,096 tokens. To encode, cut the text into pieces and replay the
    merges in each of them; to decode, look the tokens up and join their bytes. The round trip holds for every text in
    UTF-8, whatever the training text was, since all 256 bytes are in the vocabulary.)"),
      link<BpeTokenizer>();
  const BpeTokenizer tokenizer = bible_tokenizer(4'096);  // @stepover
  const std::string english = "And God said, Let there be light: and there was light.";
  const std::string chinese = "神说，要有光，就有了光。";
  const std::string emoji = "🌍 + ☀️ = 👩‍👩‍👧 ?";
  assert(tokenizer.decode(tokenizer.encode(english)) == english);  // @stepover
  assert(tokenizer.decode(tokenizer.encode(chinese)) == chinese);  // @stepover
  assert(tokenizer.decode(tokenizer.encode(emoji)) == emoji);      // @stepover
  text("The tokenizer has seen English alone. The same verse comes out whole in Hebrew and in Chinese, too:");
  const std::string hebrew = "ויאמר אלהים יהי אור ויהי אור";
  text(hebrew);
  text(chinese);
  assert(tokenizer.decode(tokenizer.encode(hebrew)) == hebrew);  // @stepover
  text("But no pair of their bytes was ever merged, so each byte is a token:");
  assert(tokenizer.encode(hebrew).size() == hebrew.size());    // @stepover
  assert(tokenizer.encode(chinese).size() == chinese.size());  // @stepover
  text("Here is how the first one is cut. Fifteen tokens for 54 bytes:");
  const std::vector<int> tokens = tokenizer.encode(english);  // @stepover @inspect tokens
  const std::string spelled = tokenizer.spell(tokens);        // @stepover @inspect spelled
  assert(tokens.size() == 15);
  assert(english.size() == 54);

  text(R"(
    **Not every list of tokens is a text.** A token may be a part of a character, and a model is free to predict any
    token after any other. Then `decode` gives bytes that are not UTF-8. A program that shows a model's answer while
    it is being written has to hold back bytes until a character is whole.)");
  const std::string half = tokenizer.decode({0xE4, 0xBD});  // @stepover @inspect half
  assert(printable(half) == "<e4><bd>");                    // @stepover
  text(R"(
    GPT-2's tokens show this as well. It encodes `hello, world! 你好!` as 31373, 11, 995, 0, 220, 19526, 254, 25001,
    121, 0. The tokens of single bytes can be worked out, for GPT-2 numbers the bytes in an order of its own: first
    the 188 that have a printable character in Latin-1, then the other 68.)"),
      link(gpt2_token_of);
  assert(gpt2_token_of('!') == 0);     // @stepover
  assert(gpt2_token_of(',') == 11);    // @stepover
  assert(gpt2_token_of(' ') == 220);   // @stepover
  assert(gpt2_token_of(0xA0) == 254);  // @stepover
  assert(gpt2_token_of(0xBD) == 121);  // @stepover
  text(R"(
    Now it can be read. `你` is the bytes `e4 bd a0`, and 254 is `a0`, so 19526 is the pair `e4 bd`. Likewise `好` is
    `e5 a5 bd`, that is 25001 and 121. The space before them is on its own, as 220. Each of the two characters is
    split in its middle.)");
  assert(utf8_encode(U'你') == "\xE4\xBD\xA0");  // @stepover
  assert(utf8_encode(U'好') == "\xE5\xA5\xBD");  // @stepover
  text("GPT-2's vocabulary is 256 bytes, 50,000 merges, and one special token that marks the end of a document.");
  assert(256 + 50'000 + 1 == 50'257);

  text(R"(
    **Speed.** The obvious way to encode replays all the merges, one after the other, over the whole text, though
    hardly any of them applies. Ours asks, for each piece, which merge is the earliest that applies. The results are
    equal.)"),
      link(encode_naively);
  const std::string_view letter = book(bible().new_testament, "Jude");  // @stepover
  std::vector<int> slowly;
  std::vector<int> quickly;
  const double slow = seconds_of([&] { slowly = encode_naively(tokenizer, letter); });  // @stepover @volatile
  const double quick = seconds_of([&] { quickly = tokenizer.encode(letter); });         // @stepover @volatile
  assert(slowly == quickly);
  // @volatile
  text(R"(
    The letter of Jude has {} bytes. Replaying all merges takes {:.1f} ms, choosing the earliest
    {:.2f} ms, which is {:.2f} MB/s.)",
       with_commas(letter.size()), 1e3 * slow, 1e3 * quick, static_cast<double>(letter.size()) / quick / 1e6);
  text(R"(
    Industrial tokenizers add a cache from pieces to tokens, keep the pairs of a long piece in a heap instead of
    searching them anew for each merge, and encode many documents at once on many threads.)");
}

int gpt2_token_of(unsigned char byte) {
  const auto has_glyph = [](int value) {
    return (value >= '!' && value <= '~') || (value >= 0xA1 && value <= 0xAC) || value >= 0xAE;
  };
  int token = has_glyph(byte) ? 0 : 188;
  for (int other = 0; other < byte; ++other) {
    if (has_glyph(other) == has_glyph(byte)) ++token;
  }
  return token;
}

std::vector<int> encode_naively(const BpeTokenizer& tokenizer, std::string_view text) {
  std::vector<std::vector<int>> pieces;
  for (const std::string_view piece : pieces_of(text)) pieces.push_back(ByteTokenizer().encode(piece));
  int joined = 256;
  for (const Pair& pair : tokenizer.pairs()) {
    for (std::vector<int>& piece : pieces) piece = merge(piece, pair, joined);
    ++joined;
  }
  std::vector<int> tokens;
  for (const std::vector<int>& piece : pieces) tokens.insert(tokens.end(), piece.begin(), piece.end());
  return tokens;
}

struct Measurement {
  std::size_t vocabulary_size;
  double seen;      // bytes per token on the training text
  double held_out;  // and on text that was not seen
};
std::vector<Measurement> measure_vocabularies();
double ratio_on(const BpeTokenizer& tokenizer, const PieceCounts& counts);

void compression_and_vocabulary() {
  text("## How large a vocabulary?");
  text(R"(
    We have a knob now. At one end, without any merge, a vocabulary of 256 and one byte per token; the more merges,
    the shorter the sequences. What does each doubling buy?)");
  const std::vector<Measurement> measurements = measure_vocabularies();  // @stepover @inspect measurements
  std::vector<TableRow> rows;
  std::vector<double> sizes, seen, held_out;
  for (const Measurement& at : measurements) {  // @stepover
    rows.push_back({at.vocabulary_size, fmt::format("{:.3f}", at.seen), fmt::format("{:.3f}", at.held_out)});
    sizes.push_back(static_cast<double>(at.vocabulary_size));
    seen.push_back(at.seen);
    held_out.push_back(at.held_out);
  }
  table({"vocabulary", "bytes per token, Old Testament (trained on)", "New Testament (held out)"}, rows);
  line_plot(
      sizes, {{"trained on", seen}, {"held out", held_out}},
      {.x = "vocabulary size",
       .y = "bytes per token",
       .legend = "text",
       .log_x = true,
       .x_ticks = sizes,
       .points = true,
       .alt = "Two rising curves of bytes per token against vocabulary size from 256 to 8,192, on a logarithmic axis. "
              "The curve for the training text lies a little above the one for held-out text, and the gap grows.",
       .caption = "Compression ratio against vocabulary size. Each doubling buys less than the one before."});
  const Measurement& bytes_only = measurements.front();
  const Measurement& largest = measurements.back();
  assert(bytes_only.seen == 1.0);
  assert(bytes_only.held_out == 1.0);
  assert(fmt::format("{:.2f}", largest.held_out) == "3.58");
  assert(largest.seen > largest.held_out);
  text("Three things can be read from it.");
  text(R"(
    - **The gain levels off.** The first 256 merges shorten the text more than all the rest together.
    - **Text that was not seen compresses less.** Merges fit the training text, so measure on other text.
    - **Length pays twice, vocabulary once.** A vocabulary of $V$ tokens and vectors of $d$ numbers cost $V d$
      parameters, and as much again for the output; the attention saves with the square of the ratio.)");
  const double first_step = 1 - 1 / measurements[1].held_out;                     // @inspect first_step
  const double all_others = 1 / measurements[1].held_out - 1 / largest.held_out;  // @inspect all_others
  assert(first_step > all_others);
  const double saved_scores = largest.held_out * largest.held_out;  // @inspect saved_scores
  text(R"(
    With a vocabulary of {}, a text has {:.2f} times fewer tokens than bytes, and attention {:.1f} times fewer
    scores.)",
       with_commas(largest.vocabulary_size), largest.held_out, saved_scores);
  text(R"(
    Models for English had vocabularies of about 50 thousand tokens; those for many languages and for code have 100 to
    250 thousand.)");
}

std::vector<Measurement> measure_vocabularies() {
  const PieceCounts seen = count_pieces(bible().old_testament);
  const PieceCounts held_out = count_pieces(bible().new_testament);
  std::vector<Measurement> measurements;
  for (const std::size_t size : {256, 512, 1'024, 2'048, 4'096, 8'192}) {
    const BpeTokenizer tokenizer = bible_tokenizer(size);
    measurements.push_back({size, ratio_on(tokenizer, seen), ratio_on(tokenizer, held_out)});
  }
  return measurements;
}

// Each distinct piece is encoded once.
double ratio_on(const BpeTokenizer& tokenizer, const PieceCounts& counts) {
  std::size_t bytes = 0;
  std::size_t tokens = 0;
  for (const auto& [piece, count] : counts) {
    bytes += piece.size() * static_cast<std::size_t>(count);
    tokens += tokenizer.encode_piece(piece).size() * static_cast<std::size_t>(count);
  }
  return bytes_per_token(bytes, tokens);
}

// A short text about this lecture's subject.
constexpr std::string_view kChinese = "语言模型读的不是文字，而是整数。分词器把文字变成整数，也把整数变回文字。"
                                      "词表越大，序列越短；词表越小，序列越长。好的分词器在两者之间取得平衡。";

void other_scripts() {
  text("## Other scripts");
  text(R"(
    How does a tokenizer trained on English read Chinese? Here is a short text that says what this lecture says:
    language models read integers, and a good tokenizer balances vocabulary against length.)");
  text("> {}", kChinese);
  const std::size_t characters = code_points(kChinese).size();   // @stepover @inspect characters
  const BpeTokenizer tokenizer = bible_tokenizer(8'192);         // @stepover
  const std::size_t tokens = tokenizer.encode(kChinese).size();  // @stepover @inspect tokens
  assert(kChinese.size() == 3 * characters);
  assert(tokens == kChinese.size());
  text(R"(
    Not one merge applies. Every byte is a token, so each character takes three. (GPT-2, which has seen a little
    Chinese, spends four tokens on `你好`, two per character.))");
  text(R"(
    The cure is in the training text, not in the algorithm. Trained on these few lines alone, byte-pair encoding first
    puts together the bytes that many characters have in common, then whole characters, then words:)");
  const BpeTokenizer chinese(train(count_pieces(kChinese), 256 + 40));  // @stepover
  const std::string spelled = chinese.split(kChinese);                  // @stepover
  text("`{}`", spelled);
  const double ratio = bytes_per_token(kChinese.size(), chinese.encode(kChinese).size());  // @stepover @inspect ratio
  assert(ratio > 2);
  assert(chinese.decode(chinese.encode(kChinese)) == kChinese);  // @stepover
  text(R"(
    From three tokens per character to less than one and a half, although measured on the very text that it was
    trained on. Look at the pieces: some are two characters, some are the last byte of one, and some even end within a
    character, for the algorithm knows bytes and nothing else.)");
  text(R"(
    What a tokenizer was trained on decides who pays. The same content, the same model, and a different language: more
    tokens mean a higher price, a shorter context and a slower answer.)");
}

void common_mistakes() {
  text("## Four common mistakes");
  text(R"(
    **Counting the wrong thing.** `size()` counts bytes, not characters, and a limit of 100 tokens is neither 100
    words nor 100 characters. Cutting a string at a byte may cut a character in two.)");
  assert(std::string("Zoë").size() == 4);
  text(R"(
    **Believing that equal looks mean equal text.** Two spellings of `é` are different bytes, hence different tokens.
    Where it matters, bring text to one normal form (NFC, say) before training *and* before encoding.)");
  const std::string composed = "caf\u00E9";     // @inspect composed
  const std::string decomposed = "cafe\u0301";  // @inspect decomposed
  assert(composed != decomposed);
  text(R"(
    **Encoding special tokens from text.** A marker such as `<|endoftext|>` must get its number from the program that
    puts documents together, never from the text. Else anyone who types it can end the document. As text, it is just
    text:)");
  const BpeTokenizer tokenizer = bible_tokenizer(4'096);  // @stepover
  assert(tokenizer.encode("<|endoftext|>").size() > 1);   // @stepover
  text(R"(
    **Joining before encoding, or encoding before joining.** The tokens of two texts are not the tokens of the two
    texts joined: merges and pieces may cross the seam.)");
  // @stepover @inspect apart
  const std::size_t apart = tokenizer.encode("wil").size() + tokenizer.encode("derness").size();
  const std::size_t joined = tokenizer.encode("wilderness").size();  // @stepover @inspect joined
  assert(joined < apart);
}

std::vector<TableRow> summary_rows();

void summary() {
  text("## What we have, and what else there is");
  text(R"(
    The four tokenizers side by side, on the New Testament, which none of them was made from, and on the Chinese text
    from above:)");
  table({"tokenizer", "vocabulary", "bytes per token, English", "Chinese", "round trip"}, summary_rows());  // @stepover
  text(R"(
    The high ratio of the words on Chinese is not a success: whole clauses count as one token, the unknown one. And
    three bytes per token is no merit of the characters, since each of these characters is three bytes long.)");
  image("figures/lecture_01_tokenization/trade_off.svg",
        {.alt = "Bytes per token against vocabulary size. Bytes stand at the lower left, with 256 tokens and ratio 1. "
                "Characters stand far to the right and just as low. Byte-pair encoding climbs from the bytes in a "
                "curve that flattens towards the words, which stand highest but lose what they do not know.",
         .caption = "Where the four stand on English text. Up is shorter, left is smaller.",
         .width = 700});
  text(R"(
    Byte-pair encoding is a heuristic, and a good one. It looks at the data, it spends its vocabulary where the text
    is, and it can write down everything. There are other ways:)");
  text(R"(
    - **The unigram model** goes from large to small: it starts with too many candidates, gives each a probability,
      and drops those that the likelihood of the text misses least. SentencePiece offers both, and works on raw text,
      treating the space as a symbol like any other.)"),
      link(works::unigram_model), link(works::sentencepiece);
  text(R"(
    - **Models without a tokenizer** read bytes, and change the model so that this becomes affordable: ByT5 takes a
      heavier encoder, MEGABYTE works on patches of fixed size, the Byte Latent Transformer on patches whose length
      follows how hard the next byte is to predict.)"),
      link(works::byt5), link(works::megabyte), link(works::byte_latent_transformer);
  text(R"(
    Until one of these wins, the tokenizer is the part of a language model that is trained first, frozen for good, and
    blamed for much.)");

  text("### Exercises");
  exercise(R"(
    Train on `she sells sea shells` again, but let the *largest* of equally frequent pairs win. Which merge comes
    second?)",
           R"(
    The ties after the first merge are `h` `e`, `␣s` `e`, `e` `l`, `l` `l` and `l` `s`. The largest is the one with
    the largest left token: token 256, `␣s`, joined with `e`. So `␣se` comes second instead of `el`.)");
  exercise(R"(
    A tokenizer has 512 tokens and encodes a text of 1,000 bytes as 400 of them. How many bits do the tokens take, and
    how many the bytes? Is that the best one can do?)",
           R"(
    One of 512 tokens takes 9 bits, so the tokens take 3,600 bits, the bytes 8,000. Byte-pair encoding is a
    compressor, as Gage meant it. A code that gives frequent tokens shorter words would do better still, since tokens
    are not equally frequent.)");
  exercise(R"(
    Give our tokenizer a special token for the end of a document. What has to change in `encode`, and why must it not
    be done by a merge?)",
           R"(
    Cut the input at the marker before cutting it into pieces, give the marker its own number, and do so only when the
    caller allows it. A merge would let ordinary text produce the marker.)");
}

template <typename T>
TableRow summary_row(const std::string& name, const std::string& size, const T& tokenizer) {
  const std::string& english = bible().new_testament;
  const std::vector<int> tokens = tokenizer.encode(english);
  const double chinese = bytes_per_token(kChinese.size(), tokenizer.encode(kChinese).size());
  return {name, size, fmt::format("{:.2f}", bytes_per_token(english.size(), tokens.size())),
          fmt::format("{:.2f}", chinese), tokenizer.decode(tokens) == english ? "yes" : "**no**"};
}

std::vector<TableRow> summary_rows() {
  const WordTokenizer words(count_pieces(bible().old_testament));
  return {summary_row("characters", "about 155,000", CharacterTokenizer()),
          summary_row("bytes", "256", ByteTokenizer()), summary_row("words", with_commas(words.size()), words),
          summary_row("byte-pair encoding", "1,024", bible_tokenizer(1'024)),
          summary_row("byte-pair encoding", "8,192", bible_tokenizer(8'192))};
}

// The verses of one book: the lines that begin with its abbreviation.
std::string_view book(std::string_view testament, std::string_view name) {
  const std::size_t begin = testament.find(fmt::format("\n{}1:1 ", name)) + 1;
  const std::size_t last = testament.rfind(fmt::format("\n{}", name));
  return testament.substr(begin, testament.find('\n', last + 1) + 1 - begin);
}
