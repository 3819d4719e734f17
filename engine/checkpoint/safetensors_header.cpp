#include "checkpoint/safetensors_header.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/json_scan.h"
#include "base/json_text.h"
#include "base/json_view.h"

namespace lectern {
namespace {

constexpr std::size_t kLengthBytes = 8;
/// The limit of the reference implementation.
constexpr std::uint64_t kMaxHeaderLength = 100'000'000;
constexpr std::string_view kMetadata = "__metadata__";

/// By Dtype.
constexpr std::string_view kNames[kDtypes] = {"F64", "F32", "F16", "BF16", "F8_E4M3", "F8_E5M2",
                                              "I64", "I32", "I16", "I8",   "U8",      "BOOL"};

std::uint64_t width(Dtype dtype) {
  return static_cast<std::uint64_t>(element_size(dtype));
}

std::string in_quotes(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

class Parser {
 public:
  Parser(std::string_view bytes, const std::string& file) : bytes_(bytes), file_(file), scanner_("") {}

  SafetensorsHeader parse() {
    const std::string_view text = header_text();
    scanner_ = JsonScanner(text);
    if (!scanner_.object([&](std::string_view name) { return member(name); })) fail_json();
    if (text.find_first_not_of(' ', scanner_.position()) != std::string_view::npos)
      fail("its header continues past the end of the JSON object");
    check_layout();
    return std::move(header_);
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw Error(Place{file_}, problem + "; it is damaged, or not a safetensors file");
  }
  [[noreturn]] void fail(const SafetensorsEntry& entry, const std::string& problem) const {
    fail("tensor " + in_quotes(entry.name) + ": " + problem);
  }
  [[noreturn]] void fail_json() const {
    fail("its header is not the expected JSON at byte " + std::to_string(kLengthBytes + scanner_.position()) +
         ": " + scanner_.problem());
  }

  std::string_view header_text() {
    if (bytes_.size() < kLengthBytes)
      fail("it has " + std::to_string(bytes_.size()) + " bytes, fewer than the header's length field");
    std::uint64_t length = 0;
    for (std::size_t i = kLengthBytes; i-- > 0;) length = length << 8 | static_cast<unsigned char>(bytes_[i]);
    if (length > kMaxHeaderLength || length > bytes_.size() - kLengthBytes) {
      fail("its header claims to have " + std::to_string(length) + " bytes, but " +
           (length > kMaxHeaderLength ? "at most " + std::to_string(kMaxHeaderLength) + " are allowed"
                                      : std::to_string(bytes_.size() - kLengthBytes) + " follow"));
    }
    header_.length = kLengthBytes + length;
    return bytes_.substr(kLengthBytes, length);
  }

  bool member(std::string_view raw_name) {
    std::string name = json_unescaped(raw_name);
    if (!names_.insert(name).second) fail("there are two entries named " + in_quotes(name));
    return name == kMetadata ? metadata() : tensor(std::move(name));
  }

  bool metadata() {
    return scanner_.object([&](std::string_view raw_name) {
      const std::string name = json_unescaped(raw_name);
      if (!scanner_.string()) return false;
      if (!header_.metadata.emplace(name, json_unescaped(scanner_.raw())).second)
        fail("its metadata has two values named " + in_quotes(name));
      return true;
    });
  }

  bool tensor(std::string name) {
    SafetensorsEntry entry{std::move(name), {}, {}};
    std::optional<Dtype> dtype;
    bool has_sizes = false;
    std::vector<std::uint64_t> offsets;
    std::set<std::string> members;
    const bool is_valid = scanner_.object([&](std::string_view raw_member) {
      const std::string member = json_unescaped(raw_member);
      if (!members.insert(member).second) fail(entry, "it has " + in_quotes(member) + " twice");
      if (member == "dtype") return dtype_of(entry, dtype);
      if (member == "shape") return has_sizes = true, sizes_of(entry);
      if (member == "data_offsets") return integers(entry, offsets, 2);
      return scanner_.value();
    });
    if (!is_valid) return false;
    if (!dtype || !has_sizes || offsets.size() != 2)
      fail(entry, "it needs a dtype, a shape and two data_offsets");
    entry.dtype = *dtype;
    entry.begin = offsets[0];
    entry.end = offsets[1];
    check_size(entry);
    header_.entries.push_back(std::move(entry));
    return true;
  }

  bool dtype_of(const SafetensorsEntry& entry, std::optional<Dtype>& dtype) {
    if (!scanner_.string()) return false;
    const auto* const known = std::ranges::find(kNames, scanner_.raw());
    if (known == std::end(kNames)) {
      throw Error(Place{file_}, "tensor " + in_quotes(entry.name) + ": unsupported dtype " +
                                    in_quotes(json_unescaped(scanner_.raw())) + "; convert the tensor first");
    }
    dtype = static_cast<Dtype>(known - kNames);
    return true;
  }

  bool sizes_of(SafetensorsEntry& entry) {
    std::vector<std::uint64_t> sizes;
    if (!integers(entry, sizes, kMaxDims)) return false;
    entry.sizes = Sizes();
    for (const std::uint64_t size : sizes) {
      if (size > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        fail(entry, "a size of " + std::to_string(size));
      entry.sizes.push_back(static_cast<std::int64_t>(size));
    }
    return true;
  }

  /// An array of at most `max_count` integers from 0 to 2^64 - 1.
  bool integers(const SafetensorsEntry& entry, std::vector<std::uint64_t>& values, std::size_t max_count) {
    values.clear();
    const std::string_view text = bytes_.substr(kLengthBytes);
    return scanner_.array([&] {
      const std::size_t begin = scanner_.position();
      if (!scanner_.value()) return false;
      const std::string_view number = text.substr(begin, scanner_.position() - begin);
      std::uint64_t value = 0;
      const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
      if (error != std::errc() || end != number.data() + number.size())
        fail(entry, "expected a nonnegative integer, not " + std::string(number.substr(0, 40)));
      if (values.size() == max_count)
        fail(entry, "there are more than " + std::to_string(max_count) + " numbers");
      values.push_back(value);
      return true;
    });
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
      fail("its tensors take " + std::to_string(at) + " bytes, but " + std::to_string(available) +
           " follow the header");
    }
  }

  std::string_view bytes_;
  const std::string& file_;
  JsonScanner scanner_;
  SafetensorsHeader header_;
  std::set<std::string> names_;
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
    text.append(R"({"dtype":")").append(kNames[static_cast<int>(entry.dtype)]).append(R"(","shape":[)");
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

  std::string bytes;
  for (std::size_t i = 0; i < kLengthBytes; ++i) bytes += static_cast<char>(text.size() >> 8 * i & 0xff);
  header.length = kLengthBytes + text.size();
  return bytes + text;
}

}  // namespace lectern
