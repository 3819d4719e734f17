#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace lectern {

/// Writes one value of a trace (traces/README.md) as JSON text, bounded in size and depth.
///
/// A user-defined type says how it is shown through a function found by argument-dependent lookup:
///
///     void to_value(lectern::ValueWriter& out, const Point& p) {
///       out.begin_fields("Point");
///       out.field("x");
///       lectern::write_value(out, p.x);     // record/inspect.h
///       out.field("y");
///       lectern::write_value(out, p.y);
///       out.end();
///     }
///
/// Calls nest; every begin_… needs an end(). Once the budget or the depth is used up, what follows is left
/// out and marked as cut, as are all but the first hundred elements of a container. An object met again is
/// written as {"ref":n}, and its first occurrence is given an "id".
class ValueWriter {
 public:
  static constexpr std::size_t kDefaultBudget = 4096;
  static constexpr std::size_t kUnlimited = static_cast<std::size_t>(-1);
  /// Levels of nesting in a summary, and in a value shown in full.
  static constexpr std::size_t kDefaultDepth = 24;
  static constexpr std::size_t kFullDepth = 60;
  /// Elements of one container in a summary, however small they are.
  static constexpr std::size_t kDefaultElements = 100;
  /// The size of a container that only iterating over it would reveal.
  static constexpr std::size_t kUnknownSize = static_cast<std::size_t>(-1);

  explicit ValueWriter(std::string& out, std::size_t budget = kDefaultBudget);

  void null();
  void boolean(bool value);
  void integer(std::int64_t value);
  void unsigned_integer(std::uint64_t value);
  /// The shortest text that reads back as the same number; NaN and infinities as objects.
  void real(double value);
  void real(float value);
  void string(std::string_view value);
  /// {"type":type,"text":text}
  void text(std::string_view type, std::string_view text);
  /// {"type":type,"text":name,"value":value}
  void enumerator(std::string_view type, std::string_view name, std::int64_t value);
  /// {"type":type,"address":"0x7ffc1a2b"}: a pointer that cannot be followed.
  void address(std::string_view type, std::uintptr_t address);
  /// {"type":type}
  void opaque(std::string_view type);
  /// {"cut":true}: a container of unknown size has more elements.
  void cut();

  /// How many bytes of JSON the next value may take: what is left of the budget, or a part of that if it is
  /// one of several, so that the others are seen too. 0 when it is left out anyway, kUnlimited without a
  /// budget.
  std::size_t room_for_value() const;
  /// The same for the first of `count` values that share what is left.
  std::size_t room_per_value(std::size_t count) const;
  /// A value in a form of its own, a JSON object on one line. One larger than room_for_value() may be cut.
  void raw(std::string_view json);

  /// {"type":type,"value": …one value…}
  void begin_typed(std::string_view type);
  /// {"type":type,"to": …one value…}; null() inside when empty.
  void begin_pointer(std::string_view type);
  /// {"type":type,"items":[ …values… ]}
  void begin_items(std::string_view type, std::size_t size);
  /// {"type":type,"entries":[ …key, value, key, value… ]}
  void begin_entries(std::string_view type, std::size_t size);
  /// {"type":type,"fields":[ …field(name), value… ]}
  void begin_fields(std::string_view type);
  void field(std::string_view name);
  void end();

  /// Whether this object occurred earlier within this value. If so, {"ref":n} is written; if not, the caller
  /// writes the object next. Not for temporaries: another one may get the same address.
  bool seen(const void* address, std::string_view type);
  /// Between these, temporaries are written: seen() is false and remembers nothing. They nest.
  void begin_temporaries() { ++temporaries_; }
  void end_temporaries() { --temporaries_; }
  /// Whether another element fits. Loops over large containers stop when none does.
  bool room() const;
  /// Whether whatever is written now is left out.
  bool skipping() const { return skipped_ > 0; }

 private:
  enum class Form : std::uint8_t { typed, pointer, items, entries, fields };

  /// A begin whose end has not come.
  struct Open {
    Form form;
    bool stopped = false;   ///< the budget ended here: the rest of it is left out
    bool dropping = false;  ///< the next value is left out: its field or its key was
    std::size_t size = 0;   ///< as declared; of a typed string, its length if it was cut
    std::size_t written = 0;
    std::size_t reserve = 0;  ///< bytes kept free for its end
  };

  /// An object written in this value.
  struct Object {
    std::size_t type;  ///< hash
    std::size_t offset;
    int id = 0;  ///< 0 until it is referred to
  };

  bool fits(std::size_t length) const;
  bool begin_value(std::size_t length);
  void end_value();
  template <typename Append>
  void scalar(std::size_t length, const Append& append);
  void begin(Form form, std::string_view type, std::string_view key, std::size_t size);
  void put_type(std::string_view type);
  bool stands_alone() const;
  void put_cut_string(std::string_view value, std::size_t limit);
  const Object* find(const void* address, std::size_t type) const;
  void give_id(Object& object);

  std::string& out_;
  std::size_t start_;
  std::size_t budget_;
  std::size_t max_depth_;
  std::size_t reserve_ = 0;
  std::vector<Open> open_;
  std::size_t skipped_ = 0;  ///< begins within a value that is left out
  std::unordered_multimap<const void*, Object> objects_;
  const void* pending_ = nullptr;  ///< the object that the next value is
  std::size_t pending_type_ = 0;
  int ids_ = 0;
  int temporaries_ = 0;
};

}  // namespace lectern
