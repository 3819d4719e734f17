#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "distributed/exchange.h"

namespace lectern::distributed {

/// What a rank is about to do.
struct Terms {
  std::string operation;
  std::string call;  ///< the same on all ranks: "all_reduce(sum) of float32 [2, 3]"
  /// Where ranks may send each other different things: what this rank sends to, and expects from, each rank.
  std::vector<std::string> sends = {}, expects = {};
};

/// What two ranks do not agree on.
class Disagreement : public Error {
 public:
  using Error::Error;
};

/// A rank's terms as they are sent to one other rank: long texts are cut, and compared by their hashes.
class Card {
 public:
  Card() = default;
  Card(std::string_view call, std::string_view sends, std::string_view expects);

  /// A Disagreement that names both ranks where one's terms are not the other's.
  static void check(const Card& mine, int rank, const Card& theirs, int other);
  bool is_of_same_call(const Card& other) const { return call_hash_ == other.call_hash_; }

 private:
  std::uint64_t call_hash_ = 0, sends_hash_ = 0, expects_hash_ = 0;
  char call_[232] = {}, sends_[128] = {}, expects_[128] = {};
};

/// Exchanges terms with all ranks of the group.
class Agreement {
 public:
  /// Sends them.
  Agreement(ProcessGroup& group, std::uint64_t sequence, const Terms& terms);
  /// Waits for the others' terms. Returns the disagreement, the same text on every rank, or an empty string;
  /// the group stays usable.
  std::string problem();
  /// Afterwards: whether that rank of the group makes the same call.
  bool agrees(int peer) const;

 private:
  ProcessGroup& group_;
  std::uint64_t sequence_;
  const Terms& terms_;
  std::vector<Card> mine_, theirs_;
  Exchange exchange_;
};

/// Both at once; the problem is a TensorError.
void agree(ProcessGroup& group, std::uint64_t sequence, const Terms& terms);

}  // namespace lectern::distributed
