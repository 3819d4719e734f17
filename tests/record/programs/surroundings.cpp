// Does to its process what lectures may do; the argument chooses.
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "hand.h"
#include "record/recorder.h"

namespace {

constexpr hand::Function functions[] = {hand::function("main", 1), hand::function("work", 2),
                                        hand::function("idle", 3), hand::function("more", 4)};
constexpr hand::Site sites[] = {hand::at(0, 10), hand::at(0, 11), hand::at(1, 20),
                                hand::at(0, 12, hand::Kind::statement, true)};
hand::Source source = hand::source("surroundings.cpp", functions, sites);
const bool registered = lectern::probe::add_source(source);

void work() {
  hand::Frame frame(source, 1);
  frame.at(2);
}
void more() {
  const hand::Frame frame(source, 3);
}

}  // namespace

int main(int, char** arguments) {
  const std::string what = arguments[1];
  hand::Frame frame(source, 0);
  frame.at(0);
  if (what == "fork") {
    const pid_t child = fork();
    if (child == 0) {
      work();
      std::cout << "from the child\n";
      std::exit(9);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WEXITSTATUS(status) != 9) return 1;
  }
  if (what == "fork and go on") {
    // One in a session of its own, with a child of its own, that holds on to all descriptors and prints.
    int ready[2];
    char byte = 0;
    if (pipe(ready) != 0) return 1;
    if (fork() == 0) {
      setsid();
      const pid_t grandchild = fork();
      if (grandchild > 0) std::printf("%d %d\n", getpid(), grandchild);
      std::fflush(stdout);
      if (grandchild > 0 && write(ready[1], &byte, 1) != 1) return 1;
      for (;;) {
        if (write(STDOUT_FILENO, ".", 1) != 1) usleep(10'000);
        usleep(1000);
      }
    }
    if (read(ready[0], &byte, 1) != 1) return 1;
  }
  if (what == "detached threads") {
    for (int i = 0; i < 4; ++i) {
      std::thread([] {
        for (;;) {
          work();
          std::cout << "x";
        }
      }).detach();
    }
  }
  if (what == "flood") {
    const std::string much(1 << 20, 'x');
    for (int i = 0; i < 64; ++i) {
      if (write(STDOUT_FILENO, much.data(), much.size()) < 0) return 1;
    }
  }
  if (what == "remove" && unlink(arguments[2]) != 0) return 1;
  if (what == "thread") {
    std::thread(work).join();
    std::thread(work).join();
  }
  if (what == "threads") {
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([i] {
        for (int k = 0; k < 1000; ++k) (i % 2 == 0 ? work : more)();
      });
    }
    for (std::thread& each : threads) each.join();
  }
  if (what == "thread and step over") {
    std::thread(work).join();
    std::thread(more).join();
    frame.at(3);
    work();
  }
  if (what == "thread and abort") {
    std::thread(more).join();
    std::abort();
  }
  if (what == "close" || what == "close all") {
    for (int descriptor = what == "close" ? 3 : 0; descriptor < 1024; ++descriptor) close(descriptor);
    for (int i = 0; i < 100'000; ++i) frame.at(0);
    std::cout << "still here\n";
  }
  if ((what == "chdir" || what == "folder" || what == "chdir and assets") && chdir("/") != 0) return 1;
  if (what == "folder") std::cout << lectern::record::lecture_folder().string();
  if (what == "assets" || what == "chdir and assets") {
    lectern::write_file(lectern::record::assets_folder() / "figure.svg", "<svg/>");
  }
  if (what == "itself") {
    // A lecture that runs a lecture: only the outer one is recorded.
    if (std::system((std::string(arguments[0]) + " chdir").c_str()) != 0) return 1;
  }
  if (what.starts_with("hooks")) lectern::record::add_rendering(R"({"kind":"text"})");
  for (std::size_t at = what.find("front"); at != std::string::npos; at = what.find("front", at + 1)) {
    frame.at(1);
    lectern::record::note_front_matter();
    lectern::record::add_rendering(R"({"kind":"front","title":"T"})");
  }
  frame.at(1);
}
