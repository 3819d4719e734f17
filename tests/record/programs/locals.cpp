// Variables inspected by `@inspect *`, as `lectern instrument` places it. Sites are numbered as listed, their
// lines count from 10.
#include <cstring>
#include <string>
#include <string_view>

#include "hand.h"
#include "record/inspect.h"

namespace {

using hand::Kind;

enum F { main_, power, scopes, passes, gone };
enum S { m0, p0, p1, s0, sloop, sinner, send, q0, qloop, qbody, qend, g0, g1 };

constexpr hand::Function functions[] = {hand::function("main", 1), hand::function("power", 2),
                                        hand::function("scopes", 3), hand::function("passes", 4),
                                        hand::function("gone", 5)};
hand::Site sites[] = {hand::at(main_, 10),
                      hand::at(power, 11),
                      hand::at(power, 12, Kind::return_),
                      hand::at(scopes, 13),
                      hand::at(scopes, 14, Kind::loop),
                      hand::at(scopes, 15),
                      hand::at(scopes, 16),
                      hand::at(passes, 17),
                      hand::at(passes, 18, Kind::loop),
                      hand::at(passes, 19),
                      hand::at(passes, 20),
                      hand::at(gone, 21),
                      hand::at(gone, 22)};
hand::Source source = hand::source("locals.cpp", functions, sites);
const bool registered = lectern::probe::add_source(source);

/// Each activation has its own n, which the first statement changes.
int call_power(int n) {
  hand::Frame frame(source, power);
  frame.inspecting().argument("n", n);
  frame.at(p0);
  n -= 1;
  frame.inspecting().watch("n", n);
  frame.at(p1);
  frame.inspecting().watch("n", n);
  return n == 0 ? 1 : 2 * call_power(n);
}

void call_scopes() {
  hand::Frame frame(source, scopes);
  frame.at(s0);
  const int total = 5;
  frame.inspecting().local("total", total);
  for (int i = 0; frame.at(sloop), i < 2; ++i) {
    frame.inspecting().watch("total", total).local("i", i, {sloop, send});
    frame.at(sinner);
    const std::string same = "same";
    frame.inspecting().watch("total", total).watch("i", i, {sloop, send}).watch("same", same, {sinner, send});
  }
  frame.at(send);
  frame.inspecting().local("total", total);
}

/// Of the passes of the loop the first and the last are recorded.
void call_passes() {
  hand::Frame frame(source, passes);
  frame.at(q0);
  int early = 0;
  frame.inspecting().watch("early", early);
  frame.loop(qloop);
  frame.at(qloop);
  for (int i = 0; i < 6; frame.at(qloop), ++i) {
    frame.pass(qloop);
    frame.at(qbody);
    if (i == 3) early = 1;
    frame.inspecting().watch("early", early);
  }
  frame.at(qend);
  frame.inspecting().watch("early", early);
}

/// What is left of objects that are gone: numbers that are no addresses.
void call_gone() {
  hand::Frame frame(source, gone);
  frame.at(g0);
  alignas(std::string) char left[sizeof(std::string)];
  std::memset(left, 'A', sizeof left);
  const auto& reference = *reinterpret_cast<const std::string*>(left);
  const std::string* const pointer = &reference;
  int* const nowhere = reinterpret_cast<int*>(16);
  const std::string_view view(reinterpret_cast<const char*>(16), 3);
  frame.inspecting()
      .local("reference", reference)
      .local("pointer", pointer)
      .local("nowhere", nowhere)
      .local("view", view);
  frame.at(g1);
}

}  // namespace

int main(int, char** arguments) {
  const std::string how = arguments[1];
  sites[qloop].passes = {.first = 1, .last = 1, .end = qend};
  hand::Frame frame(source, main_);
  frame.at(m0);
  if (how == "power") call_power(3);
  if (how == "scopes") call_scopes();
  if (how == "passes") call_passes();
  if (how == "gone") call_gone();
}
