#include "distributed/agreement.h"

#include <algorithm>
#include <cstring>
#include <span>

#include <fmt/format.h>

#include "base/fnv.h"
#include "base/tensor_error.h"
#include "distributed/exchange.h"

namespace lectern::distributed {
namespace {

constexpr std::uint64_t kAgreementPhase = 0, kVerdictPhase = 3;

void cut(std::span<char> place, std::string_view text) {
  const std::size_t most = place.size() - 1;
  std::memcpy(place.data(), text.data(), std::min(text.size(), most));
  if (text.size() > most) std::memcpy(place.data() + most - 3, "...", 3);
}

/// Sends all ranks a text of each, and receives theirs.
template <typename Text>
std::vector<Text> exchanged(ProcessGroup& group, const std::string& operation, std::uint64_t sequence,
                            std::uint64_t phase, const std::vector<Text>& mine) {
  const int rank = group.rank();
  std::vector<Text> theirs = mine;
  Exchange exchange(group, operation, sequence);
  for (int peer = 0; peer < group.size(); ++peer) {
    if (peer != rank) exchange.receive(peer, phase, 0, &theirs[static_cast<std::size_t>(peer)], sizeof(Text));
  }
  for (int peer = 0; peer < group.size(); ++peer) {
    if (peer != rank) exchange.send(peer, phase, 0, &mine[static_cast<std::size_t>(peer)], sizeof(Text));
  }
  exchange.wait_for_all();
  return theirs;
}

struct Verdict {
  char problem[512] = {};  ///< empty: none
};

}  // namespace

Card::Card(std::string_view call, std::string_view sends, std::string_view expects)
    : call_hash_(fnv1a_64(call)), sends_hash_(fnv1a_64(sends)), expects_hash_(fnv1a_64(expects)) {
  cut(call_, call);
  cut(sends_, sends);
  cut(expects_, expects);
}

void Card::check(const Card& mine, int rank, const Card& theirs, int other) {
  if (mine.call_hash_ != theirs.call_hash_) {
    const bool am_first = rank < other;
    throw Disagreement(fmt::format("the ranks differ: rank {} calls {}, rank {} calls {}",
                                   std::min(rank, other), (am_first ? mine : theirs).call_,
                                   std::max(rank, other), (am_first ? theirs : mine).call_));
  }
  const auto compare = [&](const Card& from, int sender, const Card& to, int receiver) {
    if (from.sends_hash_ == to.expects_hash_) return;
    throw Disagreement(fmt::format("rank {} sends {} to rank {}, which expects {}", sender, from.sends_,
                                   receiver, to.expects_));
  };
  compare(mine, rank, theirs, other);
  compare(theirs, other, mine, rank);
}

void agree(ProcessGroup& group, std::uint64_t sequence, const Terms& terms) {
  const auto size = static_cast<std::size_t>(group.size());
  std::vector<Card> mine(size);
  for (std::size_t peer = 0; peer < size; ++peer)
    mine[peer] = terms.sends.empty() ? Card(terms.call, "", "")
                                     : Card(terms.call, terms.sends[peer], terms.expects[peer]);
  const std::vector<Card> theirs = exchanged(group, terms.operation, sequence, kAgreementPhase, mine);
  Verdict verdict;
  try {
    for (std::size_t peer = 0; peer < size; ++peer)
      Card::check(mine[peer], group.global(group.rank()), theirs[peer], group.global(static_cast<int>(peer)));
  } catch (const Disagreement& problem) {
    cut(verdict.problem, problem.what());
  }
  std::vector<Verdict> verdicts(size, verdict);
  if (!terms.sends.empty())  // two ranks may differ of which a third knows nothing
    verdicts = exchanged(group, terms.operation, sequence, kVerdictPhase, verdicts);
  for (const Verdict& each : verdicts) {
    if (each.problem[0] != 0) throw TensorError(terms.operation, each.problem);
  }
}

}  // namespace lectern::distributed
