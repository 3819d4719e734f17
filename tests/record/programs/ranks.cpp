// Of several processes: what each does is among the arguments, "1:throw", by its rank. What it does is a pass
// of the loop.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include <unistd.h>

#include "hand.h"

namespace {

constexpr hand::Function functions[] = {hand::function("main", 1)};
constexpr hand::Site sites[] = {hand::at(0, 10), hand::at(0, 11)};
hand::Source source = [] {
  hand::Source made = hand::source("ranks.cpp", functions, sites);
  if (std::getenv("TEST_PROCESSES") != nullptr) made.processes = std::atoi(std::getenv("TEST_PROCESSES"));
  return made;
}();
const bool registered = lectern::probe::add_source(source);

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "-" : value;
}

void act(const std::string& how) {
  if (how == "say") {
    std::printf("%s/%s local %s/%s threads %s, waiting %s\n", variable("RANK").c_str(),
                variable("WORLD_SIZE").c_str(), variable("LOCAL_RANK").c_str(),
                variable("LOCAL_WORLD_SIZE").c_str(), variable("OMP_NUM_THREADS").c_str(),
                variable("OMP_WAIT_POLICY").c_str());
    std::fputs("not a whole line", stderr);
  }
  if (how == "throw") throw std::runtime_error("no more");
  if (how == "kill") std::raise(SIGKILL);
  if (how == "exit") std::exit(3);
  if (how == "nap") usleep(150'000);
  if (how == "doze") usleep(1'500'000);
  if (how == "hang") sleep(60);
  if (how == "stubborn") {  // does not end when it is asked to
    std::signal(SIGTERM, SIG_IGN);
    sleep(60);
  }
  if (how == "leave a child") {
    if (fork() == 0) {
      sleep(60);
      _exit(0);
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  hand::Frame frame(source, 0);
  frame.at(0);
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    const std::size_t colon = argument.find(':');
    if (argument.substr(0, colon) != "*" && argument.substr(0, colon) != variable("RANK")) continue;
    frame.at(1);
    act(argument.substr(colon + 1));
  }
}
