// Loops with @steps: HOW FIRST LAST PASSES. Sites are numbered as listed, their lines count from 10.
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>

#include "hand.h"
#include "record/recorder.h"

namespace {

using hand::Kind;

enum F { main_, leaf, returns, recursive, quiet };
enum S { m0, loop, b0, b1, inner, i0, end, l0, r0, rloop, rb, c0, cloop, cb, after };

constexpr hand::Function functions[] = {hand::function("main", 1),
                                        hand::function("leaf", 2),
                                        hand::function("returns", 3),
                                        hand::function("recursive", 4),
                                        {"quiet", {5, 1, 5, 9}, "@stepover", true}};
hand::Site sites[] = {hand::at(main_, 10),
                      hand::at(main_, 11, Kind::loop),
                      hand::at(main_, 12),
                      hand::at(main_, 13),
                      hand::at(main_, 14, Kind::loop),
                      hand::at(main_, 15),
                      hand::at(main_, 16),
                      hand::at(leaf, 17),
                      hand::at(returns, 18),
                      hand::at(returns, 19, Kind::loop),
                      hand::at(returns, 20),
                      hand::at(recursive, 21),
                      hand::at(recursive, 22, Kind::loop),
                      hand::at(recursive, 23),
                      hand::at(main_, 24)};
hand::Source source = hand::source("passes.cpp", functions, sites);
const bool registered = lectern::probe::add_source(source);

void call_leaf() {
  hand::Frame frame(source, leaf);
  frame.at(l0);
  std::cout << "leaf\n";
}

int call_returns(int passes) {
  hand::Frame frame(source, returns);
  frame.loop(rloop);
  int i = 0;
  do {
    frame.pass(rloop);
    frame.at(rb);
    if (++i == passes) return i;
    frame.at(rloop);
  } while (true);
}

void call_recursive(int depth, int passes) {
  hand::Frame frame(source, recursive);
  frame.at(c0);
  frame.loop(cloop);
  frame.at(cloop);
  for (int i = 0; i < passes; frame.at(cloop), ++i) {
    frame.pass(cloop);
    frame.at(cb);
    if (depth > 0) call_recursive(depth - 1, passes);
  }
}

void call_quiet() {
  const hand::Frame frame(source, quiet);
}

}  // namespace

int main(int, char** arguments) {
  const std::string how = arguments[1];
  const int passes = std::atoi(arguments[4]);
  for (const auto& [site, last] : {std::pair(loop, end), std::pair(rloop, c0), std::pair(cloop, after)})
    sites[site].passes = {std::atoi(arguments[2]), std::atoi(arguments[3]), last};
  if (how == "nested") sites[inner].passes = {1, 1, end};
  hand::Frame frame(source, main_);
  frame.at(m0);
  if (how == "return") {
    call_returns(passes);
  } else if (how == "recursion") {
    call_recursive(1, passes);
  } else {
    try {
      frame.loop(loop);
      frame.at(loop);
      for (int i = 0; i < passes; frame.at(loop), ++i) {
        frame.pass(loop);
        frame.at(b0);
        std::cout << "pass " << i + 1 << "\n";
        if (how == "call") call_leaf();
        if (how == "hook") lectern::record::add_rendering(R"({"kind":"text","markdown":"shown"})");
        if (how == "quiet") call_quiet();
        if (i + 1 < passes && how == "odd" && i % 2 == 0) continue;
        if (how == "odd") frame.at(b1);
        if (how == "large")
          lectern::record::add_rendering(R"({"kind":"verbatim","text":")" +
                                         std::string(std::size_t{9} << 20, 'x') + "\"}");
        if (how == "nested") {
          frame.loop(inner);
          frame.at(inner);
          for (int k = 0; k < 4; frame.at(inner), ++k) {
            frame.pass(inner);
            frame.at(i0);
          }
        }
        if (i + 1 < passes) continue;
        if (how == "break" || how == "last") break;
        if (how == "throw") throw std::runtime_error("out");
        if (how == "uncaught") throw 7;
        if (how == "exit") std::exit(3);
        if (how == "claim") lectern::probe::claim(i < 0, "i < 0");
        if (how == "abort") std::abort();
        if (how == "fault") std::raise(SIGSEGV);
        if (how == "kill") std::raise(SIGKILL);
      }
    } catch (const std::runtime_error&) {
    }
  }
  if (how != "last") frame.at(after);
}
