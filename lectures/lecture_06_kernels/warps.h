// Models of how a warp, the 32 threads that go together, accesses memory.

#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

constexpr int64_t kLanes = 32;        // threads of a warp
constexpr int64_t kSectorBytes = 32;  // what memory moves at once
constexpr int64_t kBanks = 32;        // of shared memory, each a word of 4 bytes wide

// What the lanes ask for: lane l wants the address first + l · stride.  @stepover
inline std::vector<int64_t> of_lanes(int64_t first, int64_t stride) {
  std::vector<int64_t> addresses;
  for (int64_t lane = 0; lane < kLanes; ++lane) addresses.push_back(first + lane * stride);
  return addresses;
}

// The sectors that one load of a warp touches, when each lane wants so many bytes at its address.  @stepover
inline int64_t count_sectors(const std::vector<int64_t>& addresses, int64_t bytes_each = 4) {
  std::set<int64_t> sectors;
  for (const int64_t address : addresses) {
    const int64_t last = (address + bytes_each - 1) / kSectorBytes;
    for (int64_t sector = address / kSectorBytes; sector <= last; ++sector) sectors.insert(sector);
  }
  return static_cast<int64_t>(sectors.size());
}

// How many times shared memory has to answer one load. A bank gives one word at a time, to all lanes that want it;
// different words of one bank come one after the other.  @stepover
inline int64_t count_rounds(const std::vector<int64_t>& words) {
  std::map<int64_t, std::set<int64_t>> wanted;  // by bank
  for (const int64_t word : words) wanted[word % kBanks].insert(word);
  std::size_t rounds = 0;
  for (const auto& [bank, different] : wanted) rounds = std::max(rounds, different.size());
  return static_cast<int64_t>(rounds);
}
