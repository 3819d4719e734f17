#pragma once

#include <csignal>
#include <initializer_list>

#include <sys/signalfd.h>
#include <unistd.h>

namespace lectern {

/// Signals that are read from a descriptor, instead of being delivered, while one exists.
class SignalQueue {
 public:
  SignalQueue(std::initializer_list<int> numbers) {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int number : numbers) sigaddset(&signals, number);
    pthread_sigmask(SIG_BLOCK, &signals, &previous_);
    descriptor_ = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  }
  SignalQueue(const SignalQueue&) = delete;
  SignalQueue& operator=(const SignalQueue&) = delete;
  ~SignalQueue() {
    close(descriptor_);
    pthread_sigmask(SIG_SETMASK, &previous_, nullptr);
  }

  int descriptor() const { return descriptor_; }

  /// The number of the next pending signal, 0 if there is none.
  int next() const {
    signalfd_siginfo info{};
    return read(descriptor_, &info, sizeof info) == sizeof info ? static_cast<int>(info.ssi_signo) : 0;
  }

 private:
  int descriptor_;
  sigset_t previous_;
};

}  // namespace lectern
