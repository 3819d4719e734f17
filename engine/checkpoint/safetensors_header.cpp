#include "checkpoint/safetensors_header.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json_text.h"
#include "base/noun.h"
#include "base/tensor_error.h"

namespace lectern {
namespace {

constexpr std::size_t kLengthBytes = 8;
/// The limit of the reference implementation.
constexpr std::uint64_t kMaxHeaderLength = 100'000'000;
constexpr std::string_view kMetadata = "__metadata__";

/// By Dtype.
constexpr std::string_view kDtypeNames[kDtypes] = {"F64", "F32", "F16", "BF16", "F8_E4M3", "F8_E5M2",
                                                   "I64", "I32", "I16", "I8",   "U8",      "BOOL"};

std::uint64_t width(Dtype dtype) {
  return static_cast<std::uint64_t>(element_size(dtype));
}

std::string json_string(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

/// Takes the parser's events: {"__metadata__":{name: string…}, tensor:
/// {"dtype":…,"shape":[…],"data_offsets":[b,e]}…}.
class Parser : public nlohmann::json_sax<nlohmann::json> {
 public:
  Parser(std::string_view bytes, const std::string& file) : bytes_(bytes), file_(file) {}

  SafetensorsHeader parse() {
    const std::string_view text = header_text();
    nlohmann::json::sax_parse(text, this);
    check_layout();
    return std::move(header_);
  }

  bool null() override { return other("null"); }
  bool boolean(bool value) override { return other(value ? "true" : "false"); }
  bool number_integer(std::int64_t value) override { return other(std::to_string(value)); }
  bool number_float(double /*value*/, const std::string& digits) override { return other(digits); }
  bool binary(nlohmann::json::binary_t& /*value*/) override { return true; }
  bool number_unsigned(std::uint64_t value) override {
    if (!is_in_list()) return other(std::to_string(value));
    const std::size_t limit = member_ == "shape" ? kMaxDims : 2;
    if (list_.size() == limit) fail(entry_, "there are more than " + std::to_string(limit) + " numbers");
    list_.push_back(value);
    return true;
  }
  bool string(std::string& value) override {
    if (depth_ == 2 && is_metadata()) {
      if (!header_.metadata.emplace(member_, value).second)
        fail("its metadata has two values named " + json_string(member_));
      return true;
    }
    if (depth_ != 2 || member_ != "dtype") return other(json_string(value));
    const auto* const known = std::ranges::find(kDtypeNames, value);
    if (known == std::end(kDtypeNames)) {
      throw Error(Place{file_}, "tensor " + json_string(entry_.name) + ": unsupported dtype " +
                                    json_string(value) + "; convert the tensor first");
    }
    dtype_ = static_cast<Dtype>(known - kDtypeNames);
    return true;
  }
  bool key(std::string& name) override {
    if (depth_ == 1) {
      if (!names_.insert(name).second) fail("there are two entries named " + json_string(name));
      entry_ = {name, {}, {}};
    } else if (depth_ == 2) {
      member_ = name;
      if (!is_metadata() && !members_.insert(name).second)
        fail(entry_, "it has " + json_string(name) + " twice");
    }
    return true;
  }
  bool start_object(std::size_t /*size*/) override {
    if (depth_ >= 2) other("an object");
    if (depth_ == 1) {
      dtype_.reset();
      sizes_.reset();
      offsets_.clear();
      members_.clear();
      member_.clear();
    }
    return enter();
  }
  bool end_object() override {
    if (--depth_ == 1 && !is_metadata()) add_tensor();
    return true;
  }
  bool start_array(std::size_t /*size*/) override {
    const bool listed = depth_ == 2 && !is_metadata() && (member_ == "shape" || member_ == "data_offsets");
    if (!listed) other("a list");
    list_.clear();
    return enter();
  }
  bool end_array() override {
    const bool ends_list = is_in_list();
    --depth_;
    if (ends_list) (member_ == "shape" ? sizes_.emplace() : offsets_) = list_;
    return true;
  }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& error) override {
    fail("its header is not JSON at byte " + std::to_string(kLengthBytes + position) + ": " +
         parser_message(error.id, error.what()));
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw Error(Place{file_}, problem + "; it is damaged, or not a safetensors file");
  }
  [[noreturn]] void fail(const SafetensorsEntry& entry, const std::string& problem) const {
    fail("tensor " + json_string(entry.name) + ": " + problem);
  }

  bool is_metadata() const { return entry_.name == kMetadata; }
  bool is_in_list() const {
    return depth_ == 3 && !is_metadata() && (member_ == "shape" || member_ == "data_offsets");
  }
  bool enter() {
    constexpr int kDeepest = 200;
    if (++depth_ > kDeepest) fail("its header is nested too deeply");
    return true;
  }

  /// A value where none of its kind belongs, unless it is within a member that is not read.
  bool other(const std::string& value) const {
    if (depth_ == 0) fail("its header is " + value + " instead of an object");
    if (depth_ == 1) fail("its entry " + json_string(entry_.name) + " is " + value + " instead of an object");
    if (is_metadata()) fail("its metadata " + json_string(member_) + " is " + value + " instead of a string");
    if (is_in_list()) fail(entry_, "expected a nonnegative integer, not " + value.substr(0, 40));
    if (depth_ == 2 && (member_ == "dtype" || member_ == "shape" || member_ == "data_offsets"))
      fail(entry_, "its " + member_ + " is " + value.substr(0, 40));
    return true;
  }

  std::string_view header_text() {
    if (bytes_.size() < kLengthBytes)
      fail("it has " + with_noun(bytes_.size(), "byte") + ", fewer than the header's length field");
    std::uint64_t length = 0;
    for (std::size_t i = kLengthBytes; i-- > 0;) length = length << 8 | static_cast<unsigned char>(bytes_[i]);
    if (length > kMaxHeaderLength || length > bytes_.size() - kLengthBytes) {
      fail("its header claims to have " + with_noun(length, "byte") + ", but " +
           (length > kMaxHeaderLength ? "at most " + std::to_string(kMaxHeaderLength) + " are allowed"
                                      : with_noun(bytes_.size() - kLengthBytes, "follows", "follow")));
    }
    header_.length = kLengthBytes + length;
    return bytes_.substr(kLengthBytes, length);
  }

  void add_tensor() {
    if (!dtype_ || !sizes_ || offsets_.size() != 2)
      fail(entry_, "it needs a dtype, a shape and two data_offsets");
    for (const std::uint64_t size : *sizes_) {
      if (!std::in_range<std::int64_t>(size)) fail(entry_, "a size of " + std::to_string(size));
      entry_.sizes.push_back(static_cast<std::int64_t>(size));
    }
    entry_.dtype = *dtype_;
    entry_.begin = offsets_[0];
    entry_.end = offsets_[1];
    check_size(entry_);
    header_.entries.push_back(entry_);
  }

  void check_size(const SafetensorsEntry& entry) const {
    std::uint64_t bytes = width(entry.dtype);
    const bool is_empty = std::ranges::find(entry.sizes, 0) != entry.sizes.end();
    bool fits = true;
    for (const std::int64_t size : entry.sizes) {
      if (is_empty) break;
      fits = fits && !__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(size), &bytes);
    }
    if (is_empty) bytes = 0;
    if (fits && entry.end >= entry.begin && entry.end - entry.begin == bytes) return;
    fail(entry, std::string(lectern::name(entry.dtype)) + " of shape " + to_string(entry.sizes) +
                    " does not take the bytes from " + std::to_string(entry.begin) + " to " +
                    std::to_string(entry.end));
  }

  /// Checks that the tensors follow each other without gaps and fill the file.
  void check_layout() const {
    std::vector<const SafetensorsEntry*> by_offset;
    for (const SafetensorsEntry& entry : header_.entries) by_offset.push_back(&entry);
    std::ranges::sort(by_offset, {}, [](const auto* entry) { return std::pair(entry->begin, entry->end); });
    std::uint64_t at = 0;
    for (const SafetensorsEntry* entry : by_offset) {
      if (entry->begin != at) {
        fail(*entry, std::string(entry->begin < at ? "it overlaps" : "it leaves a gap after") +
                         " what ends at byte " + std::to_string(at));
      }
      at = entry->end;
    }
    const std::uint64_t available = bytes_.size() - header_.length;
    if (at != available) {
      fail("its tensors take " + with_noun(at, "byte") + ", but " +
           with_noun(available, "follows", "follow") + " the header");
    }
  }

  std::string_view bytes_;
  const std::string& file_;
  SafetensorsHeader header_;
  std::set<std::string> names_;
  int depth_ = 0;
  // Of the entry that is being read:
  SafetensorsEntry entry_;
  std::set<std::string> members_;
  std::string member_;
  std::vector<std::uint64_t> list_, offsets_;
  std::optional<Dtype> dtype_;
  std::optional<std::vector<std::uint64_t>> sizes_;
};

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view bytes, const std::string& file) {
  return Parser(bytes, file).parse();
}

std::string make_safetensors_header(SafetensorsHeader& header) {
  std::vector<SafetensorsEntry*> by_width;
  for (SafetensorsEntry& entry : header.entries) by_width.push_back(&entry);
  std::ranges::stable_sort(by_width, std::ranges::greater(),
                           [](const auto* entry) { return element_size(entry->dtype); });
  std::uint64_t at = 0;
  for (SafetensorsEntry* entry : by_width) {
    entry->begin = at;
    at += static_cast<std::uint64_t>(checked_numel("save_file", entry->sizes)) * width(entry->dtype);
    entry->end = at;
  }

  std::string text = "{";
  const auto member = [&](std::string_view name) {
    if (text.size() > 1) text += ',';
    append_json_string(text, name);
    text += ':';
  };
  if (!header.metadata.empty()) {
    member(kMetadata);
    char before = '{';
    for (const auto& [name, value] : header.metadata) {
      text += before;
      append_json_string(text, name);
      text += ':';
      append_json_string(text, value);
      before = ',';
    }
    text += '}';
  }
  for (const SafetensorsEntry& entry : header.entries) {
    member(entry.name);
    text.append(R"({"dtype":")").append(kDtypeNames[static_cast<int>(entry.dtype)]).append(R"(","shape":[)");
    for (std::size_t d = 0; d < entry.sizes.size(); ++d) {
      if (d > 0) text += ',';
      append_integer(text, entry.sizes[d]);
    }
    text += R"(],"data_offsets":[)";
    append_unsigned(text, entry.begin);
    text += ',';
    append_unsigned(text, entry.end);
    text += "]}";
  }
  text += '}';
  text.resize((text.size() + kLengthBytes - 1) / kLengthBytes * kLengthBytes, ' ');
  if (text.size() > kMaxHeaderLength)
    throw TensorError("save_file", "the header of names, shapes and metadata",
                      "at most " + std::to_string(kMaxHeaderLength) + " bytes", std::to_string(text.size()));

  std::string bytes;
  for (std::size_t i = 0; i < kLengthBytes; ++i) bytes += static_cast<char>(text.size() >> 8 * i & 0xff);
  header.length = kLengthBytes + text.size();
  return bytes + text;
}

}  // namespace lectern
