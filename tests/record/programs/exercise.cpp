// Claims that fail, as in a file that includes <lectern/exercise.h>.
#include <stdexcept>
#include <string>
#include <thread>

#include "base/error.h"
#include "hand.h"
#include "record/claim.h"

namespace {

constexpr hand::Function functions[] = {hand::function("main", 1), hand::function("check", 2)};
hand::Site sites[] = {hand::at(0, 10),
                      hand::at(0, 11),
                      hand::at(0, 12),
                      hand::at(0, 13),
                      hand::at(0, 14),
                      hand::at(1, 20),
                      hand::at(1, 21, hand::Kind::claim)};
enum { m0, m1, m2, m3, m4, c0, c1 };

hand::Source exercise_source() {
  hand::Source source = hand::source("exercise.cpp", functions, sites);
  source.exercise = true;
  return source;
}
hand::Source source = exercise_source();
const bool registered = lectern::probe::add_source(source);

void check(bool written) {
  hand::Frame frame(source, 1);
  frame.at(c0);
  if (!written) throw lectern::Error("not there; put it there");
  frame.at(c1);
  lectern::claims::check_plain(written, "written", "exercise.cpp", 21);
}

void claims(hand::Frame& frame) {
  lectern::probe::claim(false, "one == 2");
  frame.at(m1);
  try {
    throw std::logic_error("not written");
  } catch (...) {
    lectern::probe::caught();
  }
  frame.at(m2);
  try {
    check(false);
  } catch (...) {
    lectern::probe::caught();
  }
  frame.at(m3);
  check(true);
  frame.at(m4);
}

}  // namespace

int main(int, char** arguments) {
  const std::string how = arguments[1];
  sites[m1].passes = {1, 1, c0};
  hand::Frame frame(source, 0);
  frame.at(m0);
  if (how == "claims") claims(frame);
  if (how == "throw") check(false);
  if (how == "thread") std::thread([] { lectern::probe::claim(false, "elsewhere"); }).join();
  if (how == "left-out") {
    frame.loop(m1);
    frame.at(m1);
    for (int i = 0; i < 5; frame.at(m1), ++i) {
      frame.pass(m1);
      frame.at(m2);
      if (i == 2) lectern::probe::claim(false, "i != 2");
    }
  }
}
