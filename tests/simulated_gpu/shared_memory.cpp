#include "simulated_gpu/shared_memory.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "kernels/cuda/grid.h"
#include "simulated_gpu/fibers.h"
#include "simulated_gpu/undefined.h"

namespace lectern::test {
namespace {

struct Copy {
  SharedAddress to;
  const void* from;  ///< null: zeros
  std::size_t bytes;
};

struct Thread {
  std::vector<Copy> copies;               ///< not yet committed
  std::vector<std::vector<Copy>> groups;  ///< not yet there
  std::int64_t warp_syncs = 0;
};

/// An access, or the last of those between two barriers.
struct Access {
  std::int64_t barriers = -1;  ///< before it, of all blocks
  std::int64_t warp_syncs = -1;
  int thread = -1;

  int warp() const { return thread / kernels::cuda::kWarpThreads; }
};

/// Two bytes. They were read by one thread, by several of a warp, or by several warps.
struct Cell {
  Access written, read;
  bool by_several = false, by_several_warps = false;
  bool awaited = false;  ///< a copy is on its way to it
};
constexpr std::size_t kCellBytes = 2;

std::vector<Thread> threads;
std::vector<std::byte> memory;
std::vector<Cell> cells;
std::int64_t barriers_before = 0;  ///< of earlier blocks, so that their accesses are long past

Thread& own_thread() {
  return threads[static_cast<std::size_t>(current())];
}

Access own_access() {
  return {barriers_before + meetings(), own_thread().warp_syncs, current()};
}

/// Whether nothing orders the two. `by_others`: other threads of its warp had the first access, too.
bool is_unordered(const Access& before, const Access& now, bool by_others) {
  if (before.barriers < now.barriers) return false;
  if (before.warp() != now.warp()) return true;
  return before.warp_syncs == now.warp_syncs && (by_others || before.thread != now.thread);
}

template <typename Visit>
void for_cells(SharedAddress address, std::size_t bytes, const Visit& visit) {
  check_alignment(address, bytes);
  if (address + bytes > memory.size()) abort_kernel("an address is past the shared memory");
  for (std::size_t i = address / kCellBytes; i < (address + bytes) / kCellBytes; ++i) visit(cells[i]);
}

void check_there(const Cell& cell) {
  if (cell.awaited) abort_kernel("shared memory is accessed to which a copy is on its way");
}

void note_read(Cell& cell, const Access& now) {
  check_there(cell);
  if (is_unordered(cell.written, now, false))
    abort_kernel("a thread reads shared memory that another one may be writing");
  Access& last = cell.read;
  if (last.barriers < now.barriers) {
    cell.by_several = cell.by_several_warps = false;
  } else if (last.warp() != now.warp()) {
    cell.by_several_warps = true;
  } else if (last.warp_syncs < now.warp_syncs) {
    cell.by_several = false;
  } else if (last.thread != now.thread) {
    cell.by_several = true;
  }
  last = now;
}

void note_write(Cell& cell, const Access& now) {
  check_there(cell);
  if (is_unordered(cell.written, now, false))
    abort_kernel("two threads write the same shared memory at the same time");
  const bool was_read = cell.read.barriers == now.barriers;
  if (was_read && (cell.by_several_warps || is_unordered(cell.read, now, cell.by_several)))
    abort_kernel("a thread writes shared memory that another one may be reading");
  cell.written = now;
}

}  // namespace

void check_alignment(SharedAddress address, std::size_t bytes) {
  if (address % bytes != 0) abort_kernel("an address in shared memory is not aligned");
}

void begin_shared_memory(int count, int bytes) {
  threads.assign(static_cast<std::size_t>(count), {});
  memory.assign(static_cast<std::size_t>(bytes), std::byte{0xFF});
  cells.resize(std::max(cells.size(), memory.size() / kCellBytes));
}

void end_shared_memory() {
  const auto waits = [](const std::vector<Copy>& copies) { return !copies.empty(); };
  for (const Thread& thread : threads) {
    if (waits(thread.copies) || std::ranges::any_of(thread.groups, waits))
      abort_kernel("a thread ended before what it copies to shared memory was there");
  }
  barriers_before += meetings() + 1;
}

void read_shared(SharedAddress from, void* to, std::size_t bytes) {
  const Access now = own_access();
  for_cells(from, bytes, [&](Cell& cell) { note_read(cell, now); });
  std::memcpy(to, memory.data() + from, bytes);
}

void write_shared(SharedAddress to, const void* from, std::size_t bytes) {
  const Access now = own_access();
  for_cells(to, bytes, [&](Cell& cell) { note_write(cell, now); });
  std::memcpy(memory.data() + to, from, bytes);
}

void copy_later(SharedAddress to, const void* from, std::size_t bytes, bool present) {
  check_alignment(from, bytes);
  const Access now = own_access();
  for_cells(to, bytes, [&](Cell& cell) {
    note_write(cell, now);
    cell.awaited = true;
  });
  own_thread().copies.push_back({to, present ? from : nullptr, bytes});
}

void commit() {
  Thread& own = own_thread();
  own.groups.push_back(std::exchange(own.copies, {}));
}

void wait_for_all_but(std::size_t groups) {
  const Access now = own_access();
  std::vector<std::vector<Copy>>& all = own_thread().groups;
  while (all.size() > groups) {
    for (const auto& [to, from, bytes] : all.front()) {
      for_cells(to, bytes, [&](Cell& cell) {
        cell.awaited = false;
        cell.written = now;
      });
      if (from == nullptr) {
        std::memset(memory.data() + to, 0, bytes);
      } else {
        std::memcpy(memory.data() + to, from, bytes);
      }
    }
    all.erase(all.begin());
  }
}

void sync_warp() {
  ++own_thread().warp_syncs;
  meet_warp();
}

}  // namespace lectern::test
