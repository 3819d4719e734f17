#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace lectern {

/// A recorded run in memory, as traces/README.md defines it. Numbers (ids) are indices into the vectors.
/// The reader checks every reference, so that users of a Trace may index without checking.

using Json = nlohmann::ordered_json;

/// A number as an index.
inline std::size_t index(int number) {
  return static_cast<std::size_t>(number);
}

struct TextSpan {
  int line = 0, column = 0, end_line = 0, end_column = 0;

  bool operator==(const TextSpan&) const = default;
};

struct SourceFile {
  std::string path;
  std::string language;  ///< "cpp", "cuda", "python", …
  std::vector<std::string> lines;
  std::string encoding = {};  ///< when the file was not UTF-8
  Json unknown = nullptr;     ///< here and below: an object of the fields that this version does not know

  bool operator==(const SourceFile&) const = default;
};

struct TracedFunction {
  std::string name;  ///< qualified
  int source = 0;
  TextSpan span;
  std::string untraced;         ///< why it is not stepped; empty when it is
  bool ran_unrecorded = false;  ///< it ran stepped over, or on another thread, without being recorded
  Json unknown = nullptr;

  bool operator==(const TracedFunction&) const = default;
};

enum class SiteKind : std::uint8_t { statement, hook, claim, return_, throw_, branch, loop, jump };
/// As the format spells them.
inline constexpr std::array<std::string_view, 8> kSiteKinds{"",      "hook",   "claim", "return",
                                                            "throw", "branch", "loop",  "jump"};

struct Site {
  int function = 0;
  TextSpan span;
  SiteKind kind = SiteKind::statement;
  bool hide = false;
  bool over = false;
  std::vector<std::string> volatile_names = {};  ///< "*" for all
  Json tolerance = nullptr;                      ///< list of {"names","rel","abs"}; null when absent
  Json unknown = nullptr;

  bool operator==(const Site&) const = default;
};

struct Stack {
  int function = 0;
  std::string name;  ///< the function's own when empty
  int parent = -1;
  int call = -1;  ///< site in the parent
  int depth = 1;
  Json unknown = nullptr;

  bool operator==(const Stack&) const = default;
};

struct Step {
  int site = 0;
  int stack = 0;
  int enter = 0;
  bool after = false;
  std::int64_t ns = 0;
  /// The other fields as JSON text of an object ("{…}"), empty when there are none; parse with details().
  std::string rest;

  Json details() const { return rest.empty() ? Json::object() : Json::parse(rest); }

  bool operator==(const Step&) const = default;
};

struct TraceEnd {
  std::string by;  ///< "return", "exception", …; "incomplete" when the trace has no closing record
  int status = 0;
  std::string signal;
  std::string out, err;  ///< past the streams, as bytes
  Json unknown = nullptr;

  bool operator==(const TraceEnd&) const = default;
};

/// A record of a kind that this version does not know.
struct OtherRecord {
  std::size_t before;  ///< the step that it stands before
  std::string json;

  bool operator==(const OtherRecord&) const = default;
};

struct Trace {
  std::string format;  ///< "lectern-trace/1"
  std::string lecture;
  Json profile;
  std::vector<SourceFile> sources;
  std::vector<TracedFunction> functions;
  std::vector<Site> sites;
  std::vector<Stack> stacks;
  std::vector<Step> steps;
  TraceEnd end;
  Json unknown = nullptr;  ///< fields of the document that this version does not know, kept for the writer
  std::vector<OtherRecord> others = {};

  bool complete() const { return end.by != "incomplete"; }

  bool operator==(const Trace&) const = default;
};

}  // namespace lectern
