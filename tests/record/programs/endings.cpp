// Ends in the way that the argument says, two calls deep.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>

#include <unistd.h>

#include "hand.h"
#include "record/recorder.h"

namespace {

constexpr hand::Function functions[] = {hand::function("main", 1), hand::function("last", 2),
                                        hand::function("overflow_in_frame", 3)};
constexpr hand::Site sites[] = {hand::at(0, 10), hand::at(1, 20), hand::at(1, 21)};
hand::Source source = hand::source("endings.cpp", functions, sites);
const bool registered = lectern::probe::add_source(source);

struct LateWords {
  ~LateWords() { std::cout << "after main\n"; }
} late_words;

class Odd : public std::exception {
 public:
  const char* what() const noexcept override { return "odd \"one\" \xff"; }
};

// Volatile, or the compiler takes the undefined for impossible.
volatile int zero = 0;
int* volatile nobodys = reinterpret_cast<int*>(4096);

int overflow(int depth) {
  volatile char room[512];
  room[0] = static_cast<char>(depth);
  return depth < zero ? 0 : overflow(depth + 1) + room[0];
}

int overflow_in_frame(int depth) {
  hand::Frame frame(source, 2);
  volatile char room[512];
  room[0] = static_cast<char>(depth);
  return depth < zero ? 0 : overflow_in_frame(depth + 1) + room[0];
}

void throw_something() {
  throw std::runtime_error("through noexcept");
}
void through_noexcept() noexcept {
  throw_something();
}

struct Thrower {
  ~Thrower() { throw_in_destructor(); }
  static void throw_in_destructor() { throw std::runtime_error("from a destructor"); }
};

void last(const std::string& how) {
  hand::Frame frame(source, 1);
  frame.at(1);
  frame.at(2);
  std::cout << "last words\n";
  if (how == "throw") throw std::runtime_error("no more");
  if (how == "throw-odd") throw Odd();
  if (how == "throw-int") throw 7;
  if (how == "throw-string") throw std::string("no class of exceptions");
  if (how == "claim") lectern::probe::claim(zero == 1, "zero == 1");
  if (how == "exit") std::exit(3);
  if (how == "exit-0") std::exit(0);
  if (how == "quick_exit") std::quick_exit(4);
  if (how == "_exit") _exit(5);
  if (how == "exec") execl("/bin/true", "true", nullptr);
  if (how == "abort") std::abort();
  if (how == "segv") *nobodys = 1;
  if (how == "overflow") overflow(zero);
  if (how == "overflow-in-frame") overflow_in_frame(zero);
  if (how == "fpe") std::raise(SIGFPE);
  if (how == "kill") std::raise(SIGKILL);
  if (how == "term") std::raise(SIGTERM);
  if (how == "own-handler") {
    std::signal(SIGUSR1, [](int) { _exit(6); });
    std::raise(SIGUSR1);
  }
  if (how == "thread-throw") std::thread([] { throw std::logic_error("elsewhere"); }).join();
  if (how == "noexcept") through_noexcept();
  if (how == "destructor") const Thrower thrower;
  if (how == "sleep") {
    std::puts("asleep");
    sleep(60);
  }
  if (how == "many") {
    for (int i = 0; i < 300'000; ++i) frame.at(2);
  }
  if (how == "endless") {
    for (;;) frame.at(2);
  }
  if (how == "spin") {
    // Killed from beside, at whatever it is writing.
    std::thread([] {
      usleep(3000);
      kill(getpid(), SIGKILL);
    }).detach();
    for (;;) frame.at(2);
  }
}

}  // namespace

int main(int, char** arguments) {
  hand::Frame frame(source, 0);
  frame.at(0);
  last(arguments[1]);
}
