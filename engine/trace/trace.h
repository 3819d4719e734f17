#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trace/ceilings.h"
#include "trace/model.h"
#include "trace/site_kind.h"
#include "trace/step_details.h"

namespace lectern {

/// A recorded run in memory, as traces/README.md defines it. Numbers (ids) are indices into the vectors.
/// The reader checks every reference, so that users of a Trace may index without checking.

/// A number as an index.
inline std::size_t index(int number) {
  return static_cast<std::size_t>(number);
}

/// The lines of a source, each of which is written on a line of its own.
struct SourceLines : std::vector<std::string> {
  using std::vector<std::string>::vector;
  SourceLines(std::vector<std::string> lines) : std::vector<std::string>(std::move(lines)) {}  // NOLINT
};

struct SourceFile {
  std::string path;
  std::string language = {};  ///< "cpp", "cuda", "python", …
  SourceLines lines = {};
  std::string encoding = {};                    ///< when the file was not UTF-8
  std::vector<std::array<int, 2>> hidden = {};  ///< first and last lines of definitions that are not shown
  JsonText unknown = {};  ///< here and below: an object of the fields that this version does not know

  static constexpr auto fields() {
    return field_list(Field{"path", &SourceFile::path, kAlways, "^(?!/)"},
                      Field{"language", &SourceFile::language}, Field{"encoding", &SourceFile::encoding},
                      Field{"hidden", &SourceFile::hidden}, Field{"lines", &SourceFile::lines, kAlways});
  }
  bool operator==(const SourceFile&) const = default;
};

struct TracedFunction {
  std::string name;  ///< qualified
  int source = 0;
  TextSpan span = {};
  std::string untraced = {};    ///< why it is not stepped; empty when it is
  bool ran_unrecorded = false;  ///< it ran stepped over, or on another thread, without being recorded
  JsonText unknown = {};

  static constexpr auto fields() {
    using F = TracedFunction;
    return field_list(Field{"name", &F::name, kAlways}, Field{"source", &F::source, kAlways},
                      Field{"span", &F::span, kAlways}, Field{"untraced", &F::untraced});
  }
  bool operator==(const TracedFunction&) const = default;
};

/// By how much numbers of a statement may differ between runs; "*" names all.
struct SiteTolerance {
  std::vector<std::string> names;
  std::optional<double> rel, abs;

  static constexpr auto fields() {
    using T = SiteTolerance;
    return field_list(Field{"names", &T::names, kAlways}, Field{"rel", &T::rel}, Field{"abs", &T::abs});
  }
  bool operator==(const SiteTolerance&) const = default;
};

struct Site {
  int function = 0;
  TextSpan span;
  SiteKind kind = SiteKind::statement;
  bool hide = false;
  bool over = false;
  std::vector<std::string> volatile_names = {};  ///< "*" for all
  std::vector<SiteTolerance> tolerances = {};
  int body = 0;              ///< of a loop: how many of the next sites are in it
  Members<int> locals = {};  ///< what is out of scope but here and in so many of the next sites
  JsonText unknown = {};

  static constexpr auto fields() {
    return field_list(Field{"function", &Site::function, kAlways}, Field{"span", &Site::span, kAlways},
                      Field{"kind", &Site::kind}, Field{"hide", &Site::hide}, Field{"over", &Site::over},
                      Field{"volatile", &Site::volatile_names}, Field{"tolerance", &Site::tolerances},
                      Field{"body", &Site::body}, Field{"locals", &Site::locals});
  }
  bool operator==(const Site&) const = default;
};

struct Stack {
  int function = 0;
  std::string name = {};  ///< the function's own when empty
  int parent = -1;
  int call = -1;  ///< site in the parent
  int depth = 1;
  JsonText unknown = {};

  static constexpr auto fields() {
    return field_list(Field{"function", &Stack::function, kAlways}, Field{"name", &Stack::name},
                      Field{"parent", &Stack::parent}, Field{"call", &Stack::call});
  }
  bool operator==(const Stack&) const = default;
};

/// Its details stay text until they are asked for: those of most steps never are.
struct Step {
  int site = 0;
  int stack = 0;
  int enter = 0;
  bool after = false;
  std::int64_t ns = 0;
  std::string text = {};  ///< of its details: a JSON object, or nothing

  StepDetails details() const;
  void set_details(const StepDetails& details);

  bool operator==(const Step&) const = default;
};

/// Passes of a loop that were not recorded (@steps).
struct LeftOut {
  int loop = 0;                                         ///< its site
  int stack = 0;                                        ///< of the activation that ran it
  std::int64_t passes = 0;                              ///< 0: of a pass the beginning
  std::vector<std::array<std::int64_t, 2>> runs = {};   ///< sites of that activation, how often each ran
  std::vector<std::array<std::int64_t, 2>> calls = {};  ///< functions, how many activations of each
  JsonText unknown = {};
  std::size_t before = 0;  ///< the step that it stands before

  static constexpr auto fields() {
    using L = LeftOut;
    return field_list(Field{"left_out", &L::loop, kAlways}, Field{"in", &L::stack, kAlways},
                      Field{"passes", &L::passes}, Field{"runs", &L::runs}, Field{"calls", &L::calls});
  }
  bool operator==(const LeftOut&) const = default;
};

struct TraceEnd {
  std::string by;  ///< "return", "exception", …; "incomplete" when the trace has no closing record
  std::optional<int> status = {};
  std::string signal = {};
  std::int64_t steps = 0;
  Printed out = {}, err = {};           ///< past the streams
  bool exercise = false;                ///< of one: claims that failed did not end the run
  std::optional<int> failed_rank = {};  ///< that failed before this one did, of a run of several processes
  JsonText unknown = {};

  static constexpr auto fields() {
    return field_list(Field{"end", &TraceEnd::by, kAlways,
                            "^(return|exception|claim|exit|abort|signal|killed|interrupted|orphaned)$"},
                      Field{"status", &TraceEnd::status}, Field{"signal", &TraceEnd::signal},
                      Field{"steps", &TraceEnd::steps}, Field{"out", &TraceEnd::out},
                      Field{"err", &TraceEnd::err}, Field{"exercise", &TraceEnd::exercise},
                      Field{"failed_rank", &TraceEnd::failed_rank});
  }
  bool operator==(const TraceEnd&) const = default;
};

/// Where and with what it was recorded.
struct Profile {
  std::string name = {}, device = {};
  std::int64_t threads = 0;
  std::string compiler = {};
  std::optional<Members<std::string>> libraries = {};
  Ceilings ceilings = {};  ///< as little the same from run to run as times are
  int rank = 0;            ///< of a run of several processes (trace/ranks.h)
  int world_size = 0;      ///< how many they were; 0: one, which no other run was to meet
  JsonText unknown = {};

  static constexpr auto fields() {
    return field_list(Field{"name", &Profile::name}, Field{"device", &Profile::device},
                      Field{"threads", &Profile::threads}, Field{"compiler", &Profile::compiler},
                      Field{"libraries", &Profile::libraries}, Field{"ceilings", &Profile::ceilings},
                      Field{"rank", &Profile::rank}, Field{"world_size", &Profile::world_size});
  }
  bool operator==(const Profile&) const = default;
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
  std::optional<Profile> profile;
  std::vector<SourceFile> sources;
  std::vector<TracedFunction> functions;
  std::vector<Site> sites;
  std::vector<Stack> stacks;
  std::vector<Step> steps;
  std::vector<LeftOut> left_out = {};
  TraceEnd end;
  JsonText unknown = {};  ///< fields of the document that this version does not know
  std::vector<OtherRecord> others = {};

  bool complete() const { return end.by != "incomplete"; }

  bool operator==(const Trace&) const = default;
};

}  // namespace lectern
