// Lecture 3, from text to batches.

#include "data.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "../shared/bible.h"
#include "parts.h"

namespace {

void write_tokens(const std::vector<std::uint16_t>& tokens, const std::filesystem::path& path);
double unigram_loss(const Tokens& tokens);

}  // namespace

void the_data() {
  text("## From text to batches");
  text(R"(
    The text is that of lecture 1, the King James Bible. We train on the Old Testament and keep the New one as text
    that the model never learns from. The tokenizer is that of lecture 1, too, with {} tokens: few, since each of them
    costs a row of parameters and our model is small.)",
       kVocabulary);
  const std::string& training = book().training;  // @stepover
  const std::string& held_out = book().held_out;  // @stepover
  assert(tokenizer().size() == kVocabulary);      // @stepover
  assert(tokenizer().bytes_of(258) == " the");    // @stepover

  text(R"(
    A text is encoded once, before training. With {} tokens in all, a number of 16 bits holds each of them, so that is
    what we write: two bytes for a token, one after the other, and nothing else.)",
       kVocabulary);
  const std::vector<std::uint16_t> tokens = tokenizer().encode(training);  // @stepover @inspect tokens.size()
  // @inspect bytes_per_token
  const double bytes_per_token = static_cast<double>(training.size()) / static_cast<double>(tokens.size());
  const std::filesystem::path path = scratch_folder() / "training.bin";  // @stepover
  write_tokens(tokens, path);                                            // @stepover
  assert(std::filesystem::file_size(path) == 2 * tokens.size());

  text("### A file as memory");
  text(R"(
    Real corpora have trillions of tokens and fit no memory. So the file is *mapped*: it gets addresses as if it had
    been read, and the system fetches a page of it when somebody looks there. Opening takes as long for a gigabyte as
    for a terabyte, and several processes share what was fetched.)");
  const ArrayFile file(path, "uint16");
  assert(file.sizes() == Sizes({static_cast<int64_t>(tokens.size())}));
  const Tokens mapped(file);
  assert(mapped.size() == static_cast<int64_t>(tokens.size()));
  std::vector<int64_t> beginning(8);
  mapped.read(0, 8, beginning.data());                        // @inspect beginning
  const std::string decoded = tokenizer().decode(beginning);  // @stepover @inspect decoded
  assert(training.starts_with(decoded));
  callout(Callout::warning, R"(
    A file of bare numbers does not know what it holds. Read with the wrong type it gives numbers all the same, and
    often ones that look like tokens. We say the type when we open the file, and look whether it begins as the text
    does.)",
          "Bare numbers");

  text("### Batches");
  text(R"(
    A batch is a few pieces from anywhere in the text. For each position the target is the token that follows: the
    same piece, one further on.)");
  Generator generator = Generator().manual_seed(1);
  const TokenBatch batch = get_batch(mapped, 2, 6, &generator);
  const Tensor inputs = batch.inputs;    // @inspect inputs
  const Tensor targets = batch.targets;  // @inspect targets
  assert(inputs.narrow(1, 1, 5).equal(targets.narrow(1, 0, 5)));
  text(R"(
    Where the pieces begin comes from a generator of its own. Its state goes into the checkpoint, so that a run that
    is resumed sees the batches that it would have seen.)");

  text("### What is a good loss?");
  text(R"(
    The loss is the mean of $-\ln p$ over all targets, where $p$ is the probability that the model gave to the token
    that came. Two numbers to hold it against, before there is a model: to give each of {} tokens the same probability
    costs $\ln {}$; to know how frequent each is, and nothing else, costs the entropy of their frequencies.)",
       kVocabulary, kVocabulary);
  const double knows_nothing = std::log(kVocabulary);     // @inspect knows_nothing
  const double knows_frequencies = unigram_loss(mapped);  // @stepover @inspect knows_frequencies
  assert(knows_frequencies < knows_nothing);
  text(R"(
    A model that has learned anything about what follows what is below {:.2f}. A loss of $\ell$ for a token is
    $\ell / (\ln 2 \cdot {:.2f})$ bits for a byte of text, which can be compared between tokenizers; the loss itself
    cannot.)",
       knows_frequencies, bytes_per_token);
}

namespace {

void write_tokens(const std::vector<std::uint16_t>& tokens, const std::filesystem::path& path) {
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(tokens.data()), static_cast<std::streamsize>(2 * tokens.size()));
  out.close();
  if (!out) throw std::runtime_error("the tokens could not be written");
}

// The entropy of how frequent the tokens are, in nats.
double unigram_loss(const Tokens& tokens) {
  std::vector<int64_t> all(static_cast<std::size_t>(tokens.size()));
  tokens.read(0, tokens.size(), all.data());
  std::vector<double> counts(kVocabulary);
  for (const int64_t token : all) ++counts[static_cast<std::size_t>(token)];
  double loss = 0;
  for (const double count : counts) {
    const double p = count / static_cast<double>(all.size());
    if (p > 0) loss -= p * std::log(p);
  }
  return loss;
}

// Each line without its first word, "Ge1:1".
std::string without_labels(std::string_view labelled) {
  std::string bare;
  std::istringstream lines{std::string(labelled)};
  for (std::string line; std::getline(lines, line);) {
    bare += line.substr(line.find(' ') + 1) + '\n';
  }
  return bare;
}

// The tokens of a text in a file of their own, mapped.
Tokens mapped_tokens(const std::string& name, std::string_view of) {
  const std::filesystem::path path = scratch_folder() / name;
  write_tokens(tokenizer().encode(of), path);
  return ArrayFile(path, "uint16");
}

}  // namespace

const Book& book() {
  static const Book both{without_labels(bible().old_testament), without_labels(bible().new_testament)};
  return both;
}

const Tokenizer& tokenizer() {
  static const Tokenizer trained(book().training, kVocabulary);
  return trained;
}

const Tokens& training_tokens() {
  static const Tokens tokens = mapped_tokens("old_testament.bin", book().training);
  return tokens;
}

const Tokens& held_out_tokens() {
  static const Tokens tokens = mapped_tokens("new_testament.bin", book().held_out);
  return tokens;
}

const ScratchFolder& scratch_folder() {
  static const ScratchFolder folder;
  return folder;
}
