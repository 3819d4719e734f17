#include "simulated_gpu/fibers.h"

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include <ucontext.h>

namespace lectern::test {
namespace {

constexpr std::size_t kStack = std::size_t{128} << 10;

struct Fiber {
  ucontext_t context{};
  std::unique_ptr<std::byte[]> stack = std::make_unique_for_overwrite<std::byte[]>(kStack);
  bool ended = false;
};

struct Scheduler {
  ucontext_t home{};
  std::vector<Fiber> fibers;  ///< kept for the next run
  const std::function<void(int)>* body = nullptr;
  int current = 0;
};
thread_local Scheduler scheduler;

void run_current() {
  (*scheduler.body)(scheduler.current);
  scheduler.fibers[static_cast<std::size_t>(scheduler.current)].ended = true;
}

}  // namespace

void run_side_by_side(int count, const std::function<void(int)>& body) {
  const auto size = static_cast<std::size_t>(count);
  while (scheduler.fibers.size() < size) scheduler.fibers.emplace_back();
  scheduler.body = &body;
  for (std::size_t i = 0; i < size; ++i) {
    Fiber& fiber = scheduler.fibers[i];
    fiber.ended = false;
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.get();
    fiber.context.uc_stack.ss_size = kStack;
    fiber.context.uc_link = &scheduler.home;
    makecontext(&fiber.context, run_current, 0);
  }
  for (int ended = 0; ended == 0;) {
    for (scheduler.current = 0; scheduler.current < count; ++scheduler.current) {
      Fiber& fiber = scheduler.fibers[static_cast<std::size_t>(scheduler.current)];
      swapcontext(&scheduler.home, &fiber.context);
      ended += fiber.ended ? 1 : 0;
    }
    if (ended != 0 && ended != count) {
      std::fprintf(stderr, "%d of %d threads of a group have ended, the others wait for them\n", ended,
                   count);
      std::abort();
    }
  }
}

void meet() {
  swapcontext(&scheduler.fibers[static_cast<std::size_t>(scheduler.current)].context, &scheduler.home);
}

}  // namespace lectern::test
