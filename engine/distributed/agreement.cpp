#include "distributed/agreement.h"

#include <algorithm>
#include <cstring>
#include <span>

#include <fmt/format.h>

#include "base/fnv.h"
#include "base/tensor_error.h"

namespace lectern::distributed {
namespace {

constexpr std::uint64_t kAgreementPhase = 0, kVerdictPhase = 3;

void cut(std::span<char> place, std::string_view text) {
  const std::size_t most = place.size() - 1;
  std::memcpy(place.data(), text.data(), std::min(text.size(), most));
  if (text.size() > most) std::memcpy(place.data() + most - 3, "...", 3);
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

Agreement::Agreement(ProcessGroup& group, std::uint64_t sequence, const Terms& terms)
    : group_(group), sequence_(sequence), terms_(terms), exchange_(group, terms.operation, sequence) {
  const auto size = static_cast<std::size_t>(group.size());
  for (std::size_t peer = 0; peer < size; ++peer)
    mine_.push_back(terms.sends.empty() ? Card(terms.call, "", "")
                                        : Card(terms.call, terms.sends[peer], terms.expects[peer]));
  exchange_messages(exchange_, kAgreementPhase, mine_, theirs_);
}

std::string Agreement::problem() {
  exchange_.wait_for_all();
  Verdict verdict;
  try {
    for (std::size_t peer = 0; peer < mine_.size(); ++peer)
      Card::check(mine_[peer], group_.global(group_.rank()), theirs_[peer],
                  group_.global(static_cast<int>(peer)));
  } catch (const Disagreement& problem) {
    cut(verdict.problem, problem.what());
  }
  std::vector<Verdict> verdicts(mine_.size(), verdict);
  if (!terms_.sends.empty()) {  // two ranks may differ of which a third knows nothing
    const std::vector<Verdict> own = verdicts;
    Exchange exchange(group_, terms_.operation, sequence_);
    exchange_messages(exchange, kVerdictPhase, own, verdicts);
    exchange.wait_for_all();
  }
  for (const Verdict& each : verdicts) {
    if (each.problem[0] != 0) return each.problem;
  }
  return {};
}

bool Agreement::agrees(int peer) const {
  const auto at = static_cast<std::size_t>(peer);
  return mine_[at].is_of_same_call(theirs_[at]);
}

void agree(ProcessGroup& group, std::uint64_t sequence, const Terms& terms) {
  const std::string problem = Agreement(group, sequence, terms).problem();
  if (!problem.empty()) throw TensorError(terms.operation, problem);
}

}  // namespace lectern::distributed
