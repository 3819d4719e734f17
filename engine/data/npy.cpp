#include "data/npy.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <vector>

#include "base/error.h"
#include "base/json_text.h"
#include "base/noun.h"

namespace lectern {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kAlignment = 64;

struct FileType {
  FileDtype dtype;
  std::string_view name;
  std::string_view description;  ///< without the byte order
  std::int64_t size;
  std::optional<Dtype> tensor;
};

constexpr std::array<FileType, 11> kFileTypes{{{FileDtype::float64, "float64", "f8", 8, float64},
                                               {FileDtype::float32, "float32", "f4", 4, float32},
                                               {FileDtype::float16, "float16", "f2", 2, float16},
                                               {FileDtype::int64, "int64", "i8", 8, int64},
                                               {FileDtype::int32, "int32", "i4", 4, int32},
                                               {FileDtype::int16, "int16", "i2", 2, int16},
                                               {FileDtype::int8, "int8", "i1", 1, int8},
                                               {FileDtype::uint8, "uint8", "u1", 1, uint8},
                                               {FileDtype::bool_, "bool", "b1", 1, bool_},
                                               {FileDtype::uint16, "uint16", "u2", 2, {}},
                                               {FileDtype::uint32, "uint32", "u4", 4, {}}}};

const FileType& file_type(FileDtype dtype) {
  return *std::ranges::find(kFileTypes, dtype, &FileType::dtype);
}

/// Parses the subset of Python's dict syntax that arrays need.
class NpyParser {
 public:
  NpyParser(std::string_view bytes, const std::string& file) : bytes_(bytes), file_(file) {}

  NpyHeader parse() {
    text_ = header_text();
    expect('{');
    while (!accept('}')) {
      member();
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_blanks();
    if (at_ < text_.size()) fail_here();
    if (!has_dtype_ || !has_order_ || !has_sizes_) fail("its header needs descr, fortran_order and shape");
    check_size();
    return header_;
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw Error(Place{file_}, problem + "; it is damaged, or not a .npy file");
  }
  [[noreturn]] void fail_here() const {
    fail("its header is not understood at byte " + std::to_string(header_.length - text_.size() + at_));
  }

  std::string_view header_text() {
    const auto byte = [&](std::size_t at) -> std::size_t {
      return at < bytes_.size() ? static_cast<unsigned char>(bytes_[at]) : 0;
    };
    const std::size_t version = byte(kMagic.size());
    if (version < 1 || version > 3)
      fail("its format version is " + std::to_string(version) + "; supported are 1 to 3");
    const std::size_t begin = kMagic.size() + (version == 1 ? 4 : 6);
    std::size_t length = 0;
    for (std::size_t at = begin; at-- > kMagic.size() + 2;) length = length << 8 | byte(at);
    if (bytes_.size() < begin || length > bytes_.size() - begin) fail("it ends within its header");
    header_.length = begin + length;
    return bytes_.substr(begin, length);
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool accept(char c) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    return ++at_, true;
  }
  void expect(char c) {
    if (!accept(c)) fail_here();
  }
  std::string_view string() {
    const char quote = accept('\'') ? '\'' : '"';
    if (quote == '"') expect('"');
    const std::size_t end = text_.find(quote, at_);
    if (end == std::string_view::npos) fail_here();
    const std::string_view inside = text_.substr(at_, end - at_);
    at_ = end + 1;
    return inside;
  }
  bool accept_word(std::string_view expected) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(expected)) return false;
    return at_ += expected.size(), true;
  }

  void member() {
    const std::string_view name = string();
    expect(':');
    if (name == "descr") {
      description();
    } else if (name == "fortran_order") {
      has_order_ = true;
      header_.fortran_order = accept_word("True");
      if (!header_.fortran_order && !accept_word("False")) fail_here();
    } else if (name == "shape") {
      sizes();
    } else {
      fail_here();
    }
  }

  void description() {
    skip_blanks();
    if (text_.substr(at_).starts_with('[')) fail_unsupported("structured records");
    const std::string_view text = string();
    const bool has_order =
        !text.empty() && std::string_view("<|>=").find(text.front()) != std::string_view::npos;
    const char order = has_order ? text.front() : '=';
    const std::string_view type = text.substr(has_order ? 1 : 0);
    auto found = std::ranges::find(kFileTypes, type, &FileType::description);
    if (found == kFileTypes.end() && !has_order) found = std::ranges::find(kFileTypes, type, &FileType::name);
    if (found == kFileTypes.end()) {
      std::string quoted;
      append_json_string(quoted, text);
      fail_unsupported(quoted);
    }
    if (order == '>' && found->size > 1) fail_unsupported("big-endian values");
    has_dtype_ = true;
    header_.dtype = found->dtype;
  }
  [[noreturn]] void fail_unsupported(const std::string& what) const {
    throw Error(Place{file_},
                "it holds " + what + ", which tensors do not support; convert it in NumPy first");
  }

  void sizes() {
    has_sizes_ = true;
    header_.sizes = Sizes();
    expect('(');
    while (!accept(')')) {
      skip_blanks();
      std::int64_t size = 0;
      const std::string_view rest = text_.substr(at_);
      const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), size);
      if (error != std::errc() || size < 0) fail_here();
      at_ += static_cast<std::size_t>(end - rest.data());
      if (header_.sizes.size() == kMaxDims)
        fail("it has more than " + std::to_string(kMaxDims) + " dimensions");
      header_.sizes.push_back(size);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
  }

  void check_size() const {
    const bool is_empty = std::ranges::find(header_.sizes, 0) != header_.sizes.end();
    std::int64_t bytes = is_empty ? 0 : element_size(header_.dtype);
    bool fits = true;
    for (const std::int64_t size : header_.sizes) fits = fits && !__builtin_mul_overflow(bytes, size, &bytes);
    const std::size_t available = bytes_.size() - header_.length;
    if (fits && static_cast<std::uint64_t>(bytes) == available) return;
    fail(std::string(name(header_.dtype)) + " of shape " + to_string(header_.sizes) + " does not take the " +
         with_noun(available, "byte that follows", "bytes that follow") + " its header");
  }

  std::string_view bytes_;
  const std::string& file_;
  std::string_view text_;
  std::size_t at_ = 0;
  NpyHeader header_;
  bool has_dtype_ = false, has_order_ = false, has_sizes_ = false;
};

}  // namespace

std::string_view name(FileDtype dtype) {
  return file_type(dtype).name;
}

FileDtype file_dtype(std::string_view name) {
  const auto found = std::ranges::find(kFileTypes, name, &FileType::name);
  if (found != kFileTypes.end()) return found->dtype;
  std::string names;
  for (const FileType& known : kFileTypes) names.append(names.empty() ? "" : ", ").append(known.name);
  throw Error("unknown file dtype " + std::string(name) + "; known are: " + names);
}

std::int64_t element_size(FileDtype dtype) {
  return file_type(dtype).size;
}

std::optional<Dtype> tensor_dtype(FileDtype dtype) {
  return file_type(dtype).tensor;
}

bool is_npy(std::string_view bytes) {
  return bytes.starts_with(kMagic);
}

NpyHeader parse_npy_header(std::string_view bytes, const std::string& file) {
  return NpyParser(bytes, file).parse();
}

std::string make_npy_header(FileDtype dtype, const Sizes& sizes) {
  std::string text = "{'descr': '";
  text += element_size(dtype) == 1 ? '|' : '<';
  text.append(file_type(dtype).description).append("', 'fortran_order': False, 'shape': (");
  for (const std::int64_t size : sizes) {
    append_integer(text, size);
    text += ", ";
  }
  if (sizes.size() > 1) text.resize(text.size() - 2);
  text += "), }";
  const std::size_t before = kMagic.size() + 4;
  text.resize((before + text.size() + 1 + kAlignment - 1) / kAlignment * kAlignment - before - 1, ' ');
  text += '\n';
  std::string bytes(kMagic);
  bytes += {'\1', '\0', static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  return bytes + text;
}

}  // namespace lectern
