// A lecture that does nothing but step: STEPS statements, DEPTH calls deep.
#include <cstdlib>

#include "record/programs/hand.h"

namespace {

constexpr hand::Function functions[] = {hand::function("main", 1), hand::function("dive", 2)};
constexpr hand::Site sites[] = {hand::at(0, 10), hand::at(1, 20), hand::at(1, 21, hand::Kind::loop)};
hand::Source source = hand::source("step_cost.cpp", functions, sites);
const bool registered = lectern::probe::add_source(source);

void dive(int depth, long steps) {
  hand::Frame frame(source, 1);
  frame.at(1);
  if (depth > 1) return dive(depth - 1, steps);
  for (long i = 0; i < steps; ++i) frame.at(2);
}

}  // namespace

int main(int, char** arguments) {
  hand::Frame frame(source, 0);
  frame.at(0);
  dive(std::atoi(arguments[2]), std::atol(arguments[1]));
}
