// Lecture 3, time that was never waited for.

#include <future>

#include "../shared/seconds_of.h"
#include "parts.h"

// Work that goes on while the program does: on the GPU, or, where there is none, on a thread.
class Background {
 public:
  explicit Background(int64_t n) : x_(ones({n, n}, {.device = kDevice})) {}

  void start() {  // @stepover
    if (kDevice.is_cuda()) {
      product_ = x_.matmul(x_);
    } else {
      done_ = std::async(std::launch::async, [this] { product_ = x_.matmul(x_); });
    }
  }
  void wait() {  // @stepover
    if (kDevice.is_cuda()) cuda::synchronize();
    if (done_.valid()) done_.get();
  }

 private:
  Tensor x_, product_;
  std::future<void> done_;
};

void impatient_clock() {
  text("### A clock that does not wait");
  text(R"(
    A GPU is given its work and does it on its own; the call returns as soon as the work is in the queue. A clock that
    is read then has timed the *asking*. Where there is no GPU, a thread of its own stands for it here:)");
  const int64_t n = 1024 * kScale;
  Background work(n);                                      // @stepover
  work.start();                                            // once, to fetch memory and code @stepover
  work.wait();                                             // @stepover
  const double asked = seconds_of([&] { work.start(); });  // wrong @stepover
  work.wait();                                             // @stepover
  const double done = seconds_of([&] {                     // right @stepover
    work.start();
    work.wait();
  });
  const double flops = 2. * n * n * n;
  const auto row = [&](const char* how, double seconds) {  // @stepover
    return TableRow{how, fmt::format("{:.3f} ms", 1e3 * seconds), fmt::format("{:.0f} GFLOP/s", flops / seconds / 1e9)};
  };
  // @volatile
  table({fmt::format("A product of {}×{}", n, n), "Time", "Rate"}, {row("asked", asked), row("done", done)});
  text(R"(
    The first rate is one that no such machine reaches, and it grows with the size of the matrices, as asking takes the
    same time for all. A rate above what the data sheet promises is the sign. The mistake has a sister: the wait happens
    anyway, later, at the next line that reads a number (`item`, a print, a copy to the host). A profile then says that
    *that* line is slow.)");
  text(R"(
    `measure_seconds` waits before it starts and before it stops. In a training loop one does not want to wait at each
    step, so one reads the clock every hundred steps, after a loss was read.)");
}
