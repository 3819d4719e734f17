#include "edtrace/value.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/json_text.h"
#include "base/json_view.h"
#include "trace/json_fields.h"

namespace lectern {
namespace {

// From edtrace
// ---------------------------------------------------------------------------------------------------------

constexpr std::size_t kMostDimensions = 16;
constexpr int kDeepest = 60;  // three levels of our JSON each, of which a reader takes 200
constexpr std::int64_t kLargestSize = std::int64_t{1} << 53;

std::string in_quotes(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

bool is_number(std::string_view json) {
  return !json.empty() && (json.front() == '-' || (json.front() >= '0' && json.front() <= '9'));
}

bool is_integer(std::string_view json) {
  return is_number(json) && json.find_first_of(".eE") == std::string_view::npos;
}

bool is_special_name(std::string_view text) {
  return text == "nan" || text == "inf" || text == "-inf";
}

std::string special_value(std::string_view name) {
  return "{\"float\":" + in_quotes(name) + "}";
}

bool ends_with_word(std::string_view type, std::string_view word) {
  const std::string_view name = type.substr(0, type.find('<'));
  return name.size() >= word.size() && name.substr(name.size() - word.size()) == word;
}

bool is_string_type(std::string_view type) {
  return type == "str" || ends_with_word(type, "string") || ends_with_word(type, "string_view");
}

/// Of other objects the contents are fields.
bool is_mapping(std::string_view type) {
  constexpr std::array<std::string_view, 5> kMappings{"dict", "Dict", "map", "Counter", "mappingproxy"};
  return std::any_of(kMappings.begin(), kMappings.end(),
                     [&](std::string_view word) { return ends_with_word(type, word); });
}

/// Whether each number of this dtype is a float too.
bool is_narrow(std::string_view dtype) {
  return dtype == "bfloat16" || (dtype.starts_with("float") && dtype != "float64");
}

/// A number of a tensor: the shortest text that reads back as the same number of its dtype.
void append_element(std::string& out, std::string_view number, bool narrow) {
  double value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  const auto as_float = static_cast<float>(value);
  const bool same = error == std::errc() && end == number.data() + number.size() && value == as_float;
  if (narrow && same && !is_integer(number)) {
    append_real(out, as_float);
  } else {
    append_number_value(out, number);
  }
}

/// The numbers of nested lists in order; false when they are not of this shape, or no numbers.
bool append_elements(std::string& out, std::string_view contents, const std::vector<std::int64_t>& shape,
                     std::size_t dimension, bool narrow) {
  if (dimension < shape.size()) {
    const std::vector<std::string_view> elements = json_elements(contents);
    if (contents.front() != '[' || elements.size() != static_cast<std::size_t>(shape[dimension]))
      return false;
    return std::all_of(elements.begin(), elements.end(), [&](std::string_view element) {
      return append_elements(out, element, shape, dimension + 1, narrow);
    });
  }
  if (!out.empty()) out += ',';
  if (is_number(contents)) {
    append_element(out, contents, narrow);
    return true;
  }
  std::string special(special_float(contents));
  if (special.empty()) special = json_string(contents);
  const bool boolean = contents == "true" || contents == "false";
  out += boolean ? std::string(contents) : special_value(special);
  return boolean || is_special_name(special);
}

std::vector<std::int64_t> shape_of(std::string_view json) {
  std::vector<std::int64_t> shape;
  const auto wrong = [&json] {
    return Error("\"shape\":" + std::string(json.substr(0, 60)) + " is not a list of at most " +
                 std::to_string(kMostDimensions) + " sizes");
  };
  if (json.front() != '[') throw wrong();
  for (const std::string_view size : json_elements(json)) {
    std::int64_t number = -1;
    const auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), number);
    const bool whole = error == std::errc() && end == size.data() + size.size();
    if (!whole || number < 0 || number > kLargestSize || shape.size() == kMostDimensions) throw wrong();
    shape.push_back(number);
  }
  return shape;
}

std::string list_text(const std::vector<std::int64_t>& numbers) {
  std::string out = "[";
  for (const std::int64_t number : numbers) {
    if (out.size() > 1) out += ',';
    append_integer(out, number);
  }
  return out + "]";
}

std::vector<std::int64_t> contiguous_strides(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    if (__builtin_mul_overflow(stride, std::max<std::int64_t>(1, shape[d]), &stride)) stride = kLargestSize;
  }
  return strides;
}

struct Typed {
  std::string type, dtype;
  std::string_view contents, shape;
};

/// `{"type","contents"}`, with dtype and shape or not; else it is a bare dictionary.
std::optional<Typed> read_typed(std::string_view json) {
  if (json.empty() || json.front() != '{') return {};
  const std::vector<JsonMember> members = json_members(json);
  Typed typed;
  const bool has_contents = std::any_of(members.begin(), members.end(),
                                        [](const JsonMember& member) { return member.name == "contents"; });
  if (!has_contents || !json_member(members, "type").starts_with('"')) return {};
  typed.type = json_string(json_member(members, "type"));
  typed.dtype = json_string(json_member(members, "dtype"));
  typed.contents = json_member(members, "contents");
  typed.shape = json_member(members, "shape");
  return typed;
}

std::string read_value(std::string_view json, int depth);

/// Inside of another value a number, boolean or string says its type itself.
bool says_its_type(std::string_view type, std::string_view value) {
  const char first = value.front();
  if (type == "str") return first == '"';
  if (type == "bool") return first == 't' || first == 'f';
  if (type == "int") return is_integer(value);
  return type == "float" && !is_integer(value);
}

std::string scalar(std::string_view type, const std::string& value, int depth) {
  if (depth > 0 && says_its_type(type, value)) return value;
  return "{\"type\":" + in_quotes(type) + ",\"value\":" + value + "}";
}

/// What has no form of its own, as it was printed.
std::string printed(std::string_view type, std::string_view text, int depth) {
  if (depth > 0 && type == "NoneType") return "null";
  return "{\"type\":" + in_quotes(type) + ",\"text\":" + in_quotes(text) + "}";
}

std::string number(std::string_view type, std::string_view text, int depth) {
  std::string written;
  append_number_value(written, text);
  return written.starts_with("{\"type\"") ? printed(type, text, 0) : scalar(type, written, depth);
}

std::string items(std::string_view type, std::string_view list, int depth) {
  std::string out = "{\"type\":" + in_quotes(type) + ",\"items\":[";
  bool first = true;
  for (const std::string_view element : json_elements(list)) {
    if (!std::exchange(first, false)) out += ',';
    out += read_value(element, depth + 1);
  }
  return out + "]}";
}

std::string pairs(std::string_view type, std::string_view object, int depth) {
  std::string out = "{\"type\":" + in_quotes(type) + (is_mapping(type) ? ",\"entries\":[" : ",\"fields\":[");
  bool first = true;
  for (const auto& [name, value] : members_by_name(object)) {
    out += std::exchange(first, false) ? "[" : ",[";
    append_json_string(out, name);
    out.append(",").append(read_value(value, depth + 1)).append("]");
  }
  return out + "]}";
}

/// Empty when the contents are not of the shape.
std::string tensor(const Typed& typed) {
  if (typed.shape.empty() || typed.contents.empty()) return {};
  const std::vector<std::int64_t> shape = shape_of(typed.shape);
  std::string dtype = typed.dtype;
  if (dtype.starts_with("torch.")) dtype.erase(0, 6);
  std::string data;
  if (!append_elements(data, typed.contents, shape, 0, is_narrow(dtype))) return {};
  return "{\"type\":" + in_quotes(typed.type) + ",\"dtype\":" + in_quotes(dtype) +
         ",\"shape\":" + list_text(shape) + ",\"strides\":" + list_text(contiguous_strides(shape)) +
         ",\"data\":[" + data + "]}";
}

std::string typed_value(const Typed& typed, int depth) {
  if (std::string made = tensor(typed); !made.empty()) return made;
  const std::string_view contents = typed.contents;
  if (contents.empty()) return "{\"type\":" + in_quotes(typed.type) + "}";
  if (!special_float(contents).empty()) return scalar(typed.type, std::string(contents), depth);
  switch (contents.front()) {
    case '[':
      return items(typed.type, contents, depth);
    case '{':
      return pairs(typed.type, contents, depth);
    case '"': {
      const std::string text = json_string(contents);
      if (typed.type == "float" && is_special_name(text))
        return scalar(typed.type, special_value(text), depth);
      return is_string_type(typed.type) ? scalar(typed.type, in_quotes(text), depth)
                                        : printed(typed.type, text, depth);
    }
    case 't':
    case 'f':
      return scalar(typed.type, std::string(contents), depth);
    default:
      return number(typed.type, contents, depth);
  }
}

std::string bare_value(std::string_view json, int depth) {
  if (!special_float(json).empty()) return scalar("float", std::string(json), depth);
  switch (json.front()) {
    case '[':
      return items("list", json, depth);
    case '{':
      return pairs("dict", json, depth);
    case '"':
      return scalar("str", in_quotes(json_string(json)), depth);
    case 't':
    case 'f':
      return scalar("bool", std::string(json), depth);
    case 'n':
      return printed("NoneType", "None", depth);
    default:
      return number(is_integer(json) ? "int" : "float", json, depth);
  }
}

std::string read_value(std::string_view json, int depth) {
  if (depth > kDeepest) {
    throw Error("a value is nested more than " + std::to_string(kDeepest) + " levels deep");
  }
  const std::optional<Typed> typed = read_typed(json);
  return typed ? typed_value(*typed, depth) : bare_value(json, depth);
}

// To edtrace
// -----------------------------------------------------------------------------------------------------------

constexpr const char* kEllipsis = "\u2026";

Json typed_json(std::string type, Json contents) {
  Json typed = Json::object();
  typed["type"] = std::move(type);
  typed["contents"] = std::move(contents);
  return typed;
}

bool special(const Json& value) {
  return value.is_object() && value.size() == 1 && value.contains("float");
}

/// A number of a tensor: NaN and infinities as strings, floats with all their digits.
Json element(const Json& number, bool narrow) {
  if (special(number)) return text_member(number, "float");
  if (narrow && number.is_number_float())
    return static_cast<double>(static_cast<float>(number.get<double>()));
  if (number.is_object() && is_long_integer(text_member(number, "text")))
    return long_integer(text_member(number, "text"));
  return number;
}

/// Nested lists out of numbers in order, with gaps where positions are left out.
class NestedLists {
 public:
  NestedLists(const Json& tensor, bool narrow) : narrow_(narrow) {
    const Json& shape = tensor.at("shape");
    data_ = &tensor.at("data");
    for (const Json& size : shape) sizes_.push_back(size.get<std::int64_t>());
    const Json* const indices = member(tensor, "indices");
    for (std::size_t d = 0; d < sizes_.size(); ++d) {
      std::vector<std::int64_t>& kept = positions_.emplace_back();
      if (indices != nullptr) {
        kept = indices->at(d).get<std::vector<std::int64_t>>();
      } else {
        const auto all = std::min<std::int64_t>(sizes_[d], static_cast<std::int64_t>(data_->size()));
        for (std::int64_t i = 0; i < all; ++i) kept.push_back(i);
      }
    }
  }

  bool empty() const { return std::find(sizes_.begin(), sizes_.end(), 0) != sizes_.end(); }
  Json make() { return empty() ? Json::array() : list(0); }
  bool complete() const { return next_ == data_->size(); }

 private:
  Json list(std::size_t d) {
    if (d == sizes_.size()) {
      const std::size_t at = next_++;
      return element(data_->at(at), narrow_);
    }
    Json made = Json::array();
    std::int64_t expected = 0;
    for (const std::int64_t position : positions_[d]) {
      if (position != expected) made.push_back(gap(d + 1));
      expected = position + 1;
      made.push_back(list(d + 1));
    }
    return made;
  }
  Json gap(std::size_t d) const {
    Json made = kEllipsis;
    for (; d < sizes_.size(); ++d) made = Json::array({std::move(made)});
    return made;
  }

  bool narrow_;
  const Json* data_ = nullptr;
  std::vector<std::int64_t> sizes_;
  std::vector<std::vector<std::int64_t>> positions_;
  std::size_t next_ = 0;
};

std::string tensor_text(const Json& tensor) {
  return text_member(tensor, "dtype") + tensor.at("shape").dump();
}

Json tensor_to_edtrace(const Json& tensor) {
  const std::string type = text_member(tensor, "type"), dtype = text_member(tensor, "dtype");
  const bool numpy = type == "numpy.ndarray";
  try {
    NestedLists lists(tensor, is_narrow(dtype));
    Json contents = lists.make();
    const Json& shape = tensor.at("shape");
    // The viewer looks into the first of three dimensions' rows, even where there is none.
    const bool shows = shape.size() < 3 || !lists.empty();
    if (lists.complete() && shows) {
      Json typed = typed_json(numpy ? type : "torch.Tensor", std::move(contents));
      typed["dtype"] = numpy || dtype.empty() ? dtype : "torch." + dtype;
      typed["shape"] = shape;
      return typed;
    }
  } catch (const Json::exception&) {
    // No numbers, or not as many as it says: its text then.
  }
  return typed_json(type.empty() ? "Tensor" : type, tensor_text(tensor));
}

Json nested(const Json& value);

Json list_to_edtrace(const std::string& type, const Json& value, const Json& list) {
  Json contents = Json::array();
  for (const Json& item : list) contents.push_back(nested(item));
  if (value.contains("size")) contents.push_back(typed_json("str", kEllipsis));
  return typed_json(type.empty() ? "list" : type, std::move(contents));
}

Json pairs_to_edtrace(const std::string& type, const Json& value, const Json& pairs) {
  Json contents = Json::object();
  auto& members = contents.get_ref<Json::object_t&>();
  std::vector<std::string> names;
  const auto add = [&](const std::string& name, Json what) {
    names.push_back(name);
    // Without a search for the name: there may be many.
    members.std::vector<Json::object_t::value_type>::emplace_back(name, std::move(what));
  };
  for (const Json& pair : pairs) {
    if (!pair.is_array() || pair.size() != 2) continue;
    add(pair[0].is_string() ? pair[0].get<std::string>() : plain_value_text(pair[0]), nested(pair[1]));
  }
  if (value.contains("size")) add(kEllipsis, typed_json("str", kEllipsis));
  std::sort(names.begin(), names.end());
  const bool unique = std::adjacent_find(names.begin(), names.end()) == names.end();
  if (unique) return typed_json(type.empty() ? "dict" : type, std::move(contents));
  // Keys that are equal as text: pairs, so that none is lost.
  Json list = Json::array();
  for (const auto& [name, what] : members) {
    list.push_back(typed_json("tuple", Json::array({typed_json("str", name), what})));
  }
  return typed_json(type.empty() ? "dict" : type, std::move(list));
}

std::string bytes_text(std::string_view digits) {
  std::string out = "b'";
  for (; digits.size() >= 2; digits.remove_prefix(2)) out.append("\\x").append(digits.substr(0, 2));
  return out + "'";
}

/// `unsigned long`, `double`: the viewer rounds numbers of Python's types only, and groups their digits.
bool is_number_type(std::string_view type) {
  constexpr std::array<std::string_view, 8> kWords{"char",  "short",  "int",    "long",
                                                   "float", "double", "signed", "unsigned"};
  while (!type.empty()) {
    const std::size_t end = std::min(type.find(' '), type.size());
    if (std::find(kWords.begin(), kWords.end(), type.substr(0, end)) == kWords.end()) return false;
    type.remove_prefix(std::min(end + 1, type.size()));
  }
  return true;
}

/// `{"type":T,"value":v}`.
Json scalar_to_edtrace(const std::string& type, const Json& value, const Json& inner) {
  Json made = nested(inner);
  const std::string own = text_member(made, "type");
  // What is no number to JSON is shown without quotes as a float only.
  if (type.empty() || special(inner) || inner.is_null()) return made;
  const bool pythons = type == "int" || type == "float";
  if (inner.is_number() && !pythons && is_number_type(type)) return made;
  if (value.contains("size") && made["contents"].is_string()) {
    made["contents"] = made["contents"].get<std::string>() + kEllipsis;
  }
  made["type"] = type;
  return made;
}

Json object_to_edtrace(const Json& value) {
  if (special(value)) return typed_json("float", text_member(value, "float"));
  if (value.contains("dtype") && value.contains("shape")) return tensor_to_edtrace(value);
  const std::string type = text_member(value, "type");
  const Json* part = nullptr;
  if ((part = member(value, "items")) != nullptr) return list_to_edtrace(type, value, *part);
  if ((part = member(value, "entries")) != nullptr) return pairs_to_edtrace(type, value, *part);
  if ((part = member(value, "fields")) != nullptr) return pairs_to_edtrace(type, value, *part);
  if (value.contains("text")) {
    const std::string text = text_member(value, "text");
    if (type == "int" && is_long_integer(text)) return typed_json(type, long_integer(text));
    return typed_json(type.empty() ? "str" : type, text);
  }
  if ((part = member(value, "to")) != nullptr) return nested(*part);
  if ((part = member(value, "ref")) != nullptr) return typed_json("str", "#" + part->dump());
  if (value.contains("bytes")) return typed_json("bytes", bytes_text(text_member(value, "bytes")));
  if (value.contains("cut")) return typed_json("str", kEllipsis);
  if ((part = member(value, "value")) != nullptr) return scalar_to_edtrace(type, value, *part);
  if ((part = member(value, "storage")) != nullptr) {
    return typed_json(type.empty() ? "Storage" : type, "storage " + part->dump());
  }
  return typed_json(type.empty() ? "object" : type, type);
}

Json nested(const Json& value) {
  if (value.is_null()) return typed_json("NoneType", "None");
  if (value.is_boolean()) return typed_json("bool", value);
  if (value.is_number_float()) return typed_json("float", value);
  if (value.is_number()) return typed_json("int", value);
  if (value.is_string()) return typed_json("str", value);
  if (value.is_object()) return object_to_edtrace(value);
  return typed_json("str", value.dump());
}

/// Without the types.
Json bare(Json typed) {
  if (text_member(typed, "type") == "NoneType") return nullptr;
  Json contents = std::move(typed["contents"]);
  if (typed.contains("shape")) return contents;
  if (contents.is_array()) {
    for (Json& item : contents) item = bare(std::move(item));
  } else if (contents.is_object()) {
    for (auto&& [name, item] : contents.items()) item = bare(std::move(item));
  }
  return contents;
}

Json converted(const Json& value, EdtraceGeneration generation) {
  Json typed = nested(value);
  if (generation == EdtraceGeneration::later) return typed;
  Json made = bare(std::move(typed));
  return made.is_null() ? Json("None") : made;  // null would say that there is no such variable
}

/// Ours, as it stands beside: the numbers of a tensor stand in the contents already.
bool same_numbers(const Json& ours, const Json& theirs) {
  return ours.is_object() && ours.contains("data") && !ours.contains("indices") && theirs.is_object() &&
         theirs.contains("data") && ours["data"].dump() == theirs["data"].dump();
}

/// What stands beside an edtrace value, when it still says the same; null else.
Json restored(std::string_view json, const std::string& read) {
  const std::string_view beside = json_member(json_members(json), kOursBeside);
  if (!beside.starts_with('{')) return nullptr;
  Json ours = Json::parse(beside, nullptr, false);
  if (ours.is_discarded()) return nullptr;
  if (ours.contains("shape") && !ours.contains("data")) {
    const Json theirs = Json::parse(read);
    if (theirs.contains("data")) ours["data"] = theirs["data"];
  }
  const bool same = edtrace_meaning(edtrace_text(nested(ours))) == edtrace_meaning(json);
  return same ? ours : Json(nullptr);
}

/// As importing it would read it, but for what stands beside; null when it would refuse it.
Json read_back(const Json& theirs) {
  try {
    return Json::parse(read_value(edtrace_text(theirs), 0));
  } catch (const Error&) {
    return nullptr;
  }
}

}  // namespace

std::string plain_value_text(const Json& value) {
  return edtrace_text(bare(nested(value)));
}

std::string value_from_edtrace(std::string_view json) {
  const std::optional<Typed> typed = read_typed(json);
  std::string read = read_value(json, 0);
  if (typed) {
    if (const Json ours = restored(json, read); !ours.is_null()) return ours.dump();
  }
  const auto generation = typed ? EdtraceGeneration::later : EdtraceGeneration::of_2025;
  Json ours = Json::parse(read);
  if (edtrace_meaning(edtrace_text(converted(ours, generation))) == edtrace_meaning(json)) return read;
  Json was = Json::parse(json, nullptr, false);
  if (was.is_discarded()) return read;  // a number that no double holds
  ours[kEdtraceBeside] = std::move(was);
  return ours.dump();
}

Json value_to_edtrace(const Json& value, EdtraceGeneration generation) {
  const Json ours = without(value, kEdtraceBeside);
  if (const Json* const was = value.is_object() ? member(value, kEdtraceBeside) : nullptr) {
    const bool typed = read_typed(was->dump()).has_value();
    if (typed == (generation == EdtraceGeneration::later) && read_back(*was).dump() == ours.dump())
      return *was;
  }
  Json made = converted(ours, generation);
  if (generation == EdtraceGeneration::of_2025 || !ours.is_object()) return made;
  const Json read = read_back(made);
  if (read.dump() == ours.dump()) return made;
  made[kOursBeside] = same_numbers(ours, read) ? without(ours, "data") : ours;
  return made;
}

}  // namespace lectern
