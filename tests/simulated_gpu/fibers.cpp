#include "simulated_gpu/fibers.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include <ucontext.h>

namespace lectern::test {
namespace {

constexpr std::size_t kStack = std::size_t{128} << 10;
constexpr std::size_t kWarp = 32;

struct Fiber {
  ucontext_t context{};
  std::unique_ptr<std::byte[]> stack = std::make_unique_for_overwrite<std::byte[]>(kStack);
  bool ended = false;
};

struct Scheduler {
  ucontext_t home{};
  std::vector<Fiber> fibers;  ///< kept for the next run
  const std::function<void(int)>* body = nullptr;
  std::size_t count = 0;
  std::size_t current = 0;
};
thread_local Scheduler scheduler;

void run_current() {
  (*scheduler.body)(static_cast<int>(scheduler.current));
  scheduler.fibers[scheduler.current].ended = true;
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
  if (&next != &fiber) swapcontext(&fiber.context, &next.context);
}

}  // namespace

void run_side_by_side(int count, const std::function<void(int)>& body) {
  Scheduler& all = scheduler;
  all.count = static_cast<std::size_t>(count);
  all.body = &body;
  while (all.fibers.size() < all.count) all.fibers.emplace_back();
  for (std::size_t i = 0; i < all.count; ++i) {
    Fiber& fiber = all.fibers[i];
    fiber.ended = false;
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.get();
    fiber.context.uc_stack.ss_size = kStack;
    fiber.context.uc_link = &all.home;
    makecontext(&fiber.context, run_current, 0);
    fiber.context.uc_stack = {};  // or the address sanitizer would clear all of it at each switch
  }
  // Until the first one ends, each hands over to the next (meet).
  for (std::size_t i = 0; i < all.count; ++i) {
    all.current = i;
    swapcontext(&all.home, &all.fibers[i].context);
    if (all.current != i) abort_uneven();
  }
}

void meet() {
  hand_over((scheduler.current + 1) % scheduler.count);
}

void meet_warp() {
  const std::size_t current = scheduler.current, first = current / kWarp * kWarp;
  hand_over(current + 1 < std::min(first + kWarp, scheduler.count) ? current + 1 : first);
}

int current() {
  return static_cast<int>(scheduler.current);
}

}  // namespace lectern::test
