#include "record/value_writer.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <iterator>

#include "base/json_text.h"

namespace lectern {
namespace {

constexpr std::string_view kCut = R"({"cut":true})";
constexpr std::size_t kNumberLength = 24;
constexpr std::size_t kReferenceLength = 48;  // {"ref":n}, and "id":n where the object stands
constexpr std::size_t kShortestString = 24;

std::size_t hash(std::string_view type) {
  return std::hash<std::string_view>{}(type);
}

/// The end of the JSON scalar at `begin`.
std::size_t scalar_end(const std::string& json, std::size_t begin) {
  if (json[begin] != '"') return std::min(json.find_first_of(",]}", begin), json.size());
  std::size_t i = begin + 1;
  while (json[i] != '"') i += json[i] == '\\' ? 2 : 1;
  return i + 1;
}

}  // namespace

ValueWriter::ValueWriter(std::string& out, std::size_t budget)
    : out_(out),
      start_(out.size()),
      budget_(budget),
      max_depth_(budget == kUnlimited ? kFullDepth : kDefaultDepth) {}

bool ValueWriter::fits(std::size_t length) const {
  return budget_ == kUnlimited || out_.size() - start_ + reserve_ + length <= budget_;
}

/// Begins one value of at least `length` bytes. Returns false when it is left out.
bool ValueWriter::begin_value(std::size_t length) {
  const void* object = pending_;
  pending_ = nullptr;
  if (skipped_ > 0) return false;
  if (!open_.empty()) {
    Open& parent = open_.back();
    const bool is_key =
        parent.form == Form::items || (parent.form == Form::entries && parent.written % 2 == 0);
    if (is_key) {
      if (!fits(length + 1)) parent.stopped = true;
      if (parent.stopped) return false;
      if (parent.written > 0) out_ += ',';
      if (parent.form == Form::entries) out_ += '[';
    } else if (parent.dropping) {
      parent.dropping = false;
      return false;
    } else {
      if (parent.form == Form::entries) out_ += ',';
      if (!fits(length)) {
        parent.stopped = true;
        out_ += kCut;
        end_value();
        return false;
      }
    }
  }
  if (object != nullptr) objects_.emplace(object, Object{pending_type_, out_.size()});
  return true;
}

void ValueWriter::end_value() {
  if (open_.empty()) return;
  Open& parent = open_.back();
  ++parent.written;
  const bool closes =
      parent.form == Form::fields || (parent.form == Form::entries && parent.written % 2 == 0);
  if (closes) out_ += ']';
}

/// A value of at least `length` bytes that `append` adds to the text.
template <typename Append>
void ValueWriter::scalar(std::size_t length, const Append& append) {
  if (!begin_value(length)) return;
  append();
  end_value();
}

void ValueWriter::null() {
  scalar(4, [&] { out_ += "null"; });
}

void ValueWriter::boolean(bool value) {
  scalar(5, [&] { out_ += value ? "true" : "false"; });
}

void ValueWriter::integer(std::int64_t value) {
  scalar(kNumberLength, [&] { append_integer(out_, value); });
}

void ValueWriter::unsigned_integer(std::uint64_t value) {
  scalar(kNumberLength, [&] { append_unsigned(out_, value); });
}

void ValueWriter::real(double value) {
  scalar(kNumberLength + 2, [&] { append_real(out_, value); });
}

void ValueWriter::real(float value) {
  scalar(kNumberLength + 2, [&] { append_real(out_, value); });
}

void ValueWriter::string(std::string_view value) {
  if (!begin_value(std::min(value.size() + 2, kShortestString))) return;
  if (budget_ == kUnlimited) {
    append_string_value(out_, value);
  } else {
    put_cut_string(value, room_for_value());
  }
  end_value();
}

bool ValueWriter::stands_alone() const {
  return open_.empty() || (open_.size() == 1 && open_.back().form == Form::typed);
}

std::size_t ValueWriter::room_for_value() const {
  if (skipped_ > 0 || (!open_.empty() && open_.back().stopped)) return 0;
  if (budget_ == kUnlimited) return kUnlimited;
  const std::size_t used = out_.size() - start_ + reserve_;
  const std::size_t room = budget_ > used ? budget_ - used : 0;
  constexpr std::size_t kBrackets = 2;  // a comma, and where a pair begins its bracket
  return stands_alone() ? room : std::min(room - std::min(room, kBrackets), budget_ / 4);
}

std::size_t ValueWriter::room_per_value(std::size_t count) const {
  const std::size_t room = room_for_value();
  if (room == 0 || room == kUnlimited) return room;
  constexpr std::size_t kName = 40;  // and brackets
  const std::size_t share = (budget_ - (out_.size() - start_ + reserve_)) / std::max<std::size_t>(count, 1);
  return std::min(room, share - std::min(share, kName));
}

void ValueWriter::raw(std::string_view json) {
  scalar(json.size(), [&] { out_ += json; });
}

/// As much of the string as `limit` bytes of JSON hold, and its length if that is not all.
void ValueWriter::put_cut_string(std::string_view value, std::size_t limit) {
  const std::size_t start = out_.size();
  std::string_view part = utf8_prefix(value, limit);
  append_string_value(out_, part);
  if (part.size() == value.size() && out_.size() - start <= limit) return;
  const bool in_typed = !open_.empty() && open_.back().form == Form::typed;
  const std::size_t around = std::min<std::size_t>(limit, 40);  // {"value":…,"size":n}
  while (out_.size() - start > limit - around && !part.empty()) {
    const std::size_t encoded = out_.size() - start;
    const std::size_t wanted = std::min(part.size() - 1, part.size() * (limit - around) / encoded);
    part = utf8_prefix(part, wanted);
    out_.resize(start);
    append_string_value(out_, part);
  }
  if (in_typed) {
    open_.back().size = value.size();
  } else {
    out_.insert(start, R"({"value":)");
    out_ += R"(,"size":)";
    append_unsigned(out_, value.size());
    out_ += '}';
  }
}

void ValueWriter::put_type(std::string_view type) {
  out_ += R"({"type":)";
  append_json_string(out_, type);
}

void ValueWriter::text(std::string_view type, std::string_view text) {
  scalar(type.size() + kShortestString + 24, [&] {
    put_type(type);
    out_ += R"(,"text":)";
    const std::size_t used = out_.size() - start_ + reserve_;
    const std::size_t limit = budget_ == kUnlimited ? text.size() : budget_ - std::min(budget_, used);
    append_json_string(out_, utf8_prefix(text, limit / 2));
    out_ += '}';
  });
}

void ValueWriter::enumerator(std::string_view type, std::string_view name, std::int64_t value) {
  scalar(type.size() + name.size() + kNumberLength + 32, [&] {
    put_type(type);
    out_ += R"(,"text":)";
    append_json_string(out_, name);
    out_ += R"(,"value":)";
    append_integer(out_, value);
    out_ += '}';
  });
}

void ValueWriter::address(std::string_view type, std::uintptr_t address) {
  char digits[2 * sizeof address];
  const std::string_view hexadecimal(digits, std::to_chars(digits, std::end(digits), address, 16).ptr);
  scalar(type.size() + sizeof digits + 32, [&] {
    put_type(type);
    out_.append(R"(,"address":"0x)").append(hexadecimal) += "\"}";
  });
}

void ValueWriter::opaque(std::string_view type) {
  scalar(type.size() + 12, [&] {
    put_type(type);
    out_ += '}';
  });
}

void ValueWriter::cut() {
  pending_ = nullptr;
  if (skipped_ == 0 && !open_.empty() && open_.back().form == Form::items) {
    // The space reserved for the end includes it.
    open_.back().stopped = true;
    if (open_.back().written > 0) out_ += ',';
  } else if (!begin_value(kCut.size())) {
    return;
  }
  out_ += kCut;
  end_value();
}

void ValueWriter::begin(Form form, std::string_view type, std::string_view key, std::size_t size) {
  if (skipped_ == 0 && open_.size() >= max_depth_) {
    cut();
    skipped_ = 1;
    return;
  }
  const bool list = form == Form::items || form == Form::entries || form == Form::fields;
  const std::size_t reserve = list ? 56 : 32;
  if (!begin_value(type.size() + key.size() + 16 + reserve)) {
    ++skipped_;
    return;
  }
  put_type(type);
  out_ += ",\"";
  out_ += key;
  out_ += list ? "\":[" : "\":";
  reserve_ += reserve;
  open_.push_back({.form = form, .size = size, .reserve = reserve});
}

void ValueWriter::begin_typed(std::string_view type) {
  begin(Form::typed, type, "value", 0);
}

void ValueWriter::begin_pointer(std::string_view type) {
  begin(Form::pointer, type, "to", 0);
}

void ValueWriter::begin_items(std::string_view type, std::size_t size) {
  begin(Form::items, type, "items", size);
}

void ValueWriter::begin_entries(std::string_view type, std::size_t size) {
  begin(Form::entries, type, "entries", size);
}

void ValueWriter::begin_fields(std::string_view type) {
  begin(Form::fields, type, "fields", 0);
}

void ValueWriter::field(std::string_view name) {
  if (skipped_ > 0) return;
  Open& parent = open_.back();
  parent.dropping = parent.stopped;
  if (parent.stopped) return;
  if (parent.written > 0) out_ += ',';
  out_ += '[';
  append_json_string(out_, name);
  out_ += ',';
}

void ValueWriter::end() {
  if (skipped_ > 0) {
    --skipped_;
    return;
  }
  const Open closed = open_.back();
  open_.pop_back();
  reserve_ -= closed.reserve;
  const bool list = closed.form != Form::typed && closed.form != Form::pointer;
  if (list) out_ += ']';
  const std::size_t written = closed.form == Form::entries ? closed.written / 2 : closed.written;
  const bool cut_list = closed.form == Form::items || closed.form == Form::entries
                            ? closed.size != kUnknownSize && written < closed.size
                            : closed.form == Form::typed && closed.size > 0;
  if (cut_list) {
    out_ += R"(,"size":)";
    append_unsigned(out_, closed.size);
  }
  out_ += '}';
  end_value();
}

bool ValueWriter::room() const {
  if (skipped_ > 0 || open_.empty()) return skipped_ == 0;
  const Open& open = open_.back();
  const std::size_t most = open.form == Form::items     ? kDefaultElements
                           : open.form == Form::entries ? 2 * kDefaultElements
                                                        : kUnlimited;
  return !open.stopped && fits(8) && (budget_ == kUnlimited || open.written < most);
}

bool ValueWriter::seen(const void* address, std::string_view type) {
  if (skipped_ > 0 || temporaries_ > 0) return false;
  auto* const object = const_cast<Object*>(find(address, hash(type)));
  if (object == nullptr) {
    pending_ = address;
    pending_type_ = hash(type);
    return false;
  }
  pending_ = nullptr;
  if (!begin_value(kReferenceLength)) return true;
  if (object->id == 0) give_id(*object);
  out_ += R"({"ref":)";
  append_integer(out_, object->id);
  out_ += '}';
  end_value();
  return true;
}

const ValueWriter::Object* ValueWriter::find(const void* address, std::size_t type) const {
  const auto [begin, end] = objects_.equal_range(address);
  for (auto it = begin; it != end; ++it) {
    if (it->second.type == type) return &it->second;
  }
  return nullptr;
}

/// Inserts an "id" into the text of the object; the offsets of later ones move.
void ValueWriter::give_id(Object& object) {
  object.id = ++ids_;
  const std::size_t offset = object.offset;
  const std::size_t before = out_.size();
  const std::string id = R"({"id":)" + std::to_string(object.id) + ",";
  if (out_[offset] == '{') {
    out_.replace(offset, 1, id);
  } else {
    out_.insert(scalar_end(out_, offset), "}");
    out_.insert(offset, id + R"("value":)");
  }
  for (auto& [address, other] : objects_) {
    if (other.offset > offset) other.offset += out_.size() - before;
  }
}

}  // namespace lectern
