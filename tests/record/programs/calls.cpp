// Calls of every shape; the argument chooses. Sites are numbered as listed, their lines count from 10.
#include <csetjmp>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>

#include "hand.h"
#include "record/recorder.h"

namespace {

using hand::Kind;

enum F { main_, leaf, outer, thrower, down, twice, over_, early, quiet };
enum S { m0, m1, m2, l0, o0, o1, t0, d0, w0, v0, v1, e0, r0 };

constexpr hand::Function functions[] = {
    hand::function("main", 1),    hand::function("leaf", 2),  hand::function("outer", 3),
    hand::function("thrower", 4), hand::function("down", 5),  hand::function("lm::twice", 6),
    hand::function("over", 7),    hand::function("early", 8), {"quiet", {9, 1, 9, 9}, "@stepover", true}};
constexpr hand::Site sites[] = {hand::at(main_, 10),
                                hand::at(main_, 11),
                                hand::at(main_, 12),
                                hand::at(leaf, 13, Kind::return_),
                                hand::at(outer, 14),
                                hand::at(outer, 15, Kind::return_),
                                hand::at(thrower, 16, Kind::throw_),
                                hand::at(down, 17, Kind::return_),
                                hand::at(twice, 18, Kind::return_),
                                hand::at(over_, 19, Kind::statement, true),
                                hand::at(over_, 20),
                                hand::at(early, 21, Kind::return_),
                                hand::at(main_, 22, Kind::return_)};
hand::Source source = hand::source("calls.cpp", functions, sites);
const bool registered = lectern::probe::add_source(source);

int call_leaf() {
  hand::Frame frame(source, leaf);
  frame.at(l0);
  return 1;
}

// Runs before main.
const int before_main = [] {
  if (std::getenv("LECTERN_TEST_BEFORE_MAIN") == nullptr) return 0;
  std::cout << "early bird\n";
  hand::Frame frame(source, early);
  frame.at(e0);
  return 1;
}();

int call_outer() {
  hand::Frame frame(source, outer);
  frame.at(o0);
  const int a = call_leaf();
  frame.at(o1);
  return a + call_leaf();
}

std::ostream& call_printing() {
  hand::Frame frame(source, outer);
  frame.at(o1);
  return std::cout << "before " << call_leaf() << " after\n";
}

void call_thrower() {
  hand::Frame frame(source, thrower);
  frame.at(t0);
  throw std::runtime_error("caught");
}

struct Leaver {
  ~Leaver() { call_leaf(); }
};

int call_returning() {
  hand::Frame frame(source, outer);
  const Leaver leaver;
  while (true) {
    frame.entry(o0);
    const lectern::probe::Pass pass(frame, o0);
    frame.at(o1);
    return 0;
  }
}

int call_down(int n) {
  hand::Frame frame(source, down);
  frame.at(d0);
  return n == 0 ? 0 : 1 + call_down(n - 1);
}

template <typename T, int N>
int call_twice(T) {
  hand::Frame frame(source, twice, __PRETTY_FUNCTION__);
  frame.at(w0);
  return 2 * N;
}

void call_over() {
  hand::Frame frame(source, over_);
  frame.at(v0);
  call_outer();
  lectern::record::add_rendering(R"({"kind":"text","markdown":"inside"})");
  std::cout << "printed inside\n";
  frame.at(v1);
}

// Defined with @stepover.
int call_quiet(int n) {
  const hand::Frame frame(source, quiet);
  lectern::record::add_rendering(R"({"kind":"text","markdown":"quiet"})");
  call_leaf();
  if (n == 0) throw std::runtime_error("caught");
  return n == 1 ? 1 : call_quiet(n - 1);
}

void show(hand::Frame& frame, int value) {
  const auto inspection = frame.inspecting();
  call_leaf();  // as an operator of the lecture's own would
  std::cout << "never in the trace\n";
  lectern::record::add_variable("v", R"({"type":"int","value":)" + std::to_string(value) + "}");
}

int add(int a, int b) {
  return a + b;
}

}  // namespace

int main(int, char** arguments) {
  const std::string what = arguments[1];
  hand::Frame frame(source, main_);
  frame.at(m0);
  if (what == "nested") call_outer();
  if (what == "two" || what == "two printing") {
    // Arguments that show, or print, something between two traced calls.
    const int first = call_leaf();
    if (what == "two printing") std::cout << "between\n";
    lectern::record::add_rendering(R"({"kind":"text","markdown":"first"})");
    add(first, call_leaf());
    show(frame, 2);
  }
  if (what == "caught") {
    try {
      call_thrower();
    } catch (const std::runtime_error&) {
      frame.at(m1);
      show(frame, 1);
    }
  }
  if (what == "unwinding") {
    try {
      const Leaver leaver;
      call_thrower();
    } catch (const std::runtime_error&) {
      frame.at(m1);
    }
  }
  if (what == "over-function") {
    const int first = call_leaf();
    add(first, call_quiet(2));
    try {
      call_quiet(0);
    } catch (const std::runtime_error&) {
      frame.at(m1);
      call_leaf();
    }
  }
  if (what == "over-jump") {
    std::jmp_buf place;
    if (setjmp(place) == 0) {
      const hand::Frame left(source, quiet);
      std::longjmp(place, 1);
    }
    frame.at(m1);
    call_leaf();
  }
  if (what == "deep") call_down(std::atoi(arguments[2]));
  if (what == "template") {
    call_twice<int, 3>(1);
    call_twice<std::string, 1>("");
    call_twice<int, 3>(2);
  }
  if (what == "printing") call_printing();
  if (what == "return in range") call_returning();
  if (what == "range") {
    frame.coming(m1);
    call_leaf();  // begin()
    for (int i = 0; i < 2; ++i, call_leaf()) {
      frame.entry(m1);
      const lectern::probe::Pass pass(frame, m1);
      show(frame, i);
      frame.at(m2);
      if (i == 0) continue;
      call_leaf();
    }
    frame.coming(-1);
  }
  if (what == "over") call_over();
  if (what == "loop") {
    for (int i = 0; i < 3; ++i) {
      frame.at(m1);
      show(frame, i);
    }
  }
  frame.at(m2);
  frame.at(r0);
  return what == "status" ? 7 : 0;
}
