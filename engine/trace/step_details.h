#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trace/memory_categories.h"
#include "trace/model.h"

namespace lectern {

/// Whether an assertion held; operands of simple comparisons only.
struct Claim {
  bool ok = false;
  std::string text, op;
  std::optional<Value> left, right;
  std::string threw = {};  ///< in an exercise: the exception that the statement ended with
  static constexpr auto fields() {
    return field_list(Field{"ok", &Claim::ok, kAlways}, Field{"text", &Claim::text}, Field{"op", &Claim::op},
                      Field{"left", &Claim::left}, Field{"right", &Claim::right},
                      Field{"threw", &Claim::threw});
  }
  bool operator==(const Claim&) const = default;
};

/// How a run ended that did not return from main.
struct Ended {
  std::string by, type = {}, what = {}, signal = {};
  int status = 0;
  std::string place = {};  ///< "lectures/name.cpp:31:3", as the author names it
  static constexpr auto fields() {
    return field_list(
        Field{"by", &Ended::by, kAlways, "^(exception|claim|exit|abort|signal|killed|interrupted|orphaned)$"},
        Field{"type", &Ended::type}, Field{"what", &Ended::what}, Field{"status", &Ended::status},
        Field{"signal", &Ended::signal}, Field{"place", &Ended::place});
  }
  bool operator==(const Ended&) const = default;
};

/// Bytes that the program wrote to a stream: mostly UTF-8.
struct Printed {
  std::string bytes = {};
  bool empty() const { return bytes.empty(); }
  bool operator==(const Printed&) const = default;
};

/// A call of a collective, or of send or recv, between the processes of a run.
struct Collective {
  std::string name;
  std::int64_t group = 0;     ///< 0: all ranks; the others are numbered as they are made, by all alike
  std::int64_t sequence = 0;  ///< which of its group; of messages, which of those with this tag
  std::int64_t sent = 0, received = 0;    ///< bytes
  std::optional<int> from = {}, to = {};  ///< of messages: ranks of the group
  int tag = 0;
  static constexpr auto fields() {
    using C = Collective;
    return field_list(Field{"name", &C::name, kAlways}, Field{"group", &C::group},
                      Field{"sequence", &C::sequence, kAlways}, Field{"sent", &C::sent},
                      Field{"received", &C::received}, Field{"from", &C::from}, Field{"to", &C::to},
                      Field{"tag", &C::tag});
  }
  bool operator==(const Collective&) const = default;
};

/// What a step recorded besides its place and its time (traces/README.md, "at").
struct StepDetails {
  Printed out;
  std::uint64_t out_cut = 0;  ///< bytes left out
  Printed err;
  std::uint64_t err_cut = 0;
  std::vector<Rendering> show;
  Members<Value> args;  ///< of the activation that begins with this step
  Members<Value> vars;
  std::vector<std::string> clear;
  std::vector<Claim> claims;
  std::vector<int> ran;  ///< functions that ran unrecorded
  std::uint64_t flops = 0, bytes = 0;
  Members<std::array<std::int64_t, 2>> memory;  ///< by device: bytes now and at peak
  /// By device, of the bytes now; as before where it is left out.
  Members<CategoryBytes> categories;
  std::vector<Collective> collectives;
  std::optional<Ended> ended;
  JsonText unknown = {};  ///< an object of the fields that this version does not know

  static constexpr auto fields() {
    using S = StepDetails;
    return field_list(Field{"out", &S::out}, Field{"out_cut", &S::out_cut}, Field{"err", &S::err},
                      Field{"err_cut", &S::err_cut}, Field{"show", &S::show}, Field{"args", &S::args},
                      Field{"vars", &S::vars}, Field{"clear", &S::clear}, Field{"claims", &S::claims},
                      Field{"ran", &S::ran}, Field{"flops", &S::flops}, Field{"bytes", &S::bytes},
                      Field{"memory", &S::memory}, Field{"categories", &S::categories},
                      Field{"collectives", &S::collectives}, Field{"ended", &S::ended});
  }
  bool operator==(const StepDetails&) const = default;
};

}  // namespace lectern
