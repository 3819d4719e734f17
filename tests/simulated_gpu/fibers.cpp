#include "simulated_gpu/fibers.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>

#include <ucontext.h>

#include "simulated_gpu/watched_order.h"

namespace lectern::test {
namespace {

constexpr std::size_t kStack = std::size_t{128} << 10;
constexpr std::size_t kWarp = 32;

struct Fiber {
  std::unique_ptr<std::byte[]> stack = nullptr;  ///< null until it begins
  std::array<void*, 5> place{};                  ///< where it goes on
  WatchedThread watched{};
  bool ended = false;
  int meetings = 0, warp_meetings = 0;
};

/// Where threads meet, in turn: none comes to a place again before all have gone on from the other.
using Places = std::array<WatchedPlace, 2>;

struct Scheduler {
  Fiber home{.watched = WatchedThread::running()};  ///< what calls run_side_by_side()
  std::deque<Fiber> fibers;                         ///< kept for the next run
  const std::function<void(int)>* body = nullptr;
  std::size_t count = 0;
  std::size_t current = 0;
  WatchedPlace begun, ended;
  Places of_all;
  std::deque<Places> of_warps;
};
thread_local Scheduler scheduler;

// ucontext.h gives a fiber its stack; switches are the compiler's own jumps, since swapcontext() is a call of
// the kernel, for the signal mask. The address sanitizer, which would clear a whole stack at each, is not to
// see them.
#define LECTERN_SWITCHES __attribute__((noinline, no_sanitize("address")))

void live();

LECTERN_SWITCHES void begin(Fiber& fiber) {
  fiber.stack = std::make_unique_for_overwrite<std::byte[]>(kStack);
  ucontext_t context{};
  getcontext(&context);
  context.uc_stack.ss_sp = fiber.stack.get();
  context.uc_stack.ss_size = kStack;
  makecontext(&context, live, 0);
  fiber.watched.is_next();
  setcontext(&context);
}

LECTERN_SWITCHES void go_on(Fiber& fiber) {
  fiber.watched.is_next();
  __builtin_longjmp(fiber.place.data(), 1);
}

LECTERN_SWITCHES void switch_to(Fiber& next, Fiber& from) {
  if (__builtin_setjmp(from.place.data()) != 0) return;
  if (&next == &scheduler.home || next.stack != nullptr)
    go_on(next);
  else
    begin(next);
}

void live() {
  for (;;) {
    scheduler.begun.come_after();
    (*scheduler.body)(static_cast<int>(scheduler.current));
    scheduler.ended.come_before();
    Fiber& fiber = scheduler.fibers[scheduler.current];
    fiber.ended = true;
    switch_to(scheduler.home, fiber);
  }
}

[[noreturn]] void abort_uneven() {
  std::fprintf(stderr, "of %zu threads of a group some have ended, others wait for them\n", scheduler.count);
  std::abort();
}

void hand_over(std::size_t to) {
  Scheduler& all = scheduler;
  Fiber& fiber = all.fibers[all.current];
  Fiber& next = all.fibers[to];
  all.current = to;
  if (next.ended) abort_uneven();
  if (&next != &fiber) switch_to(next, fiber);
}

WatchedPlace& next_place(Places& places, int& meetings) {
  return places[static_cast<std::size_t>(meetings++ % 2)];
}

}  // namespace

void run_side_by_side(int count, const std::function<void(int)>& body) {
  Scheduler& all = scheduler;
  all.count = static_cast<std::size_t>(count);
  all.body = &body;
  while (all.fibers.size() < all.count) all.fibers.emplace_back();
  for (std::size_t i = 0; i < all.count; ++i) {
    all.fibers[i].ended = false;
    all.fibers[i].meetings = all.fibers[i].warp_meetings = 0;
  }
  while (all.of_warps.size() * kWarp < all.count) all.of_warps.emplace_back();
  all.begun.come_before();
  // Until the first one ends, each hands over to the next (meet).
  for (std::size_t i = 0; i < all.count; ++i) {
    all.current = i;
    switch_to(all.fibers[i], all.home);
    if (all.current != i) abort_uneven();
  }
  all.ended.come_after();
}

void meet() {
  WatchedPlace& place = next_place(scheduler.of_all, scheduler.fibers[scheduler.current].meetings);
  place.come_before();
  hand_over((scheduler.current + 1) % scheduler.count);
  place.come_after();
}

int meetings() {
  return scheduler.fibers[scheduler.current].meetings;
}

void meet_warp() {
  const std::size_t current = scheduler.current, first = current / kWarp * kWarp;
  WatchedPlace& place =
      next_place(scheduler.of_warps[current / kWarp], scheduler.fibers[current].warp_meetings);
  place.come_before();
  hand_over(current + 1 < std::min(first + kWarp, scheduler.count) ? current + 1 : first);
  place.come_after();
}

int current() {
  return static_cast<int>(scheduler.current);
}

}  // namespace lectern::test
