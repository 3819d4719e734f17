#include "supervise/ending.h"

#include <cstring>

#include <sys/wait.h>

#include "base/error.h"
#include "record/utf8_tail.h"
#include "trace/end_reason.h"

namespace lectern {

namespace {

/// The recorder has seen no end.
constexpr const char* kReplaced =
    "another program has taken the lecture's place (exec), or a system call has ended it; start programs as "
    "processes of their own";

}  // namespace

std::string signal_name(int number) {
  const char* const name = sigabbrev_np(number);
  return name == nullptr ? "signal " + std::to_string(number) : std::string("SIG") + name;
}

Ending find_ending(int wait_status, const RunBlock& block, const std::optional<Ending>& intervention) {
  using Cause = RunBlock::Cause;
  const Cause cause = block.cause.load();
  const bool exited = WIFEXITED(wait_status);
  Ending ending{.status = exited ? WEXITSTATUS(wait_status) : 1};
  if (WIFSIGNALED(wait_status)) ending.signal = signal_name(WTERMSIG(wait_status));
  const bool returned = exited && cause == Cause::returned;
  if (intervention && !(returned && intervention->by == "interrupted")) {
    ending.by = intervention->by;
    ending.what = intervention->what;
    if (!intervention->signal.empty()) ending.signal = intervention->signal;
  } else if (cause == Cause::exception || cause == Cause::claim) {
    ending.by = cause == Cause::claim ? "claim" : "exception";
    ending.type = block.type;
    ending.what = block.what;
    ending.what.resize(ending.what.size() - unfinished_utf8(ending.what));
    ending.signal.clear();
  } else if (exited && cause == Cause::none && block.recorder.load() != 0) {
    ending = {.by = "abort", .status = 1, .what = kReplaced};
  } else if (exited && cause != Cause::signal) {
    ending.by = returned ? "return" : "exit";
  } else {
    // A sanitizer that reports a fault exits.
    if (ending.signal.empty()) ending.signal = signal_name(block.signal);
    ending.by = ending.signal == "SIGKILL" ? "killed" : ending.signal == "SIGABRT" ? "abort" : "signal";
    if (ending.by == "abort") {
      ending.signal.clear();
      ending.what = block.what;
      ending.what.resize(ending.what.size() - unfinished_utf8(ending.what));
    }
    if (block.stack_overflow != 0) ending.what = "stack overflow";
  }
  return ending;
}

std::string end_reason(const Ending& ending, const RunBlock& block) {
  const bool called_exit = ending.by == "exit" && block.recorder.load() != 0;
  std::string reason = end_reason({.by = ending.by == "exit" && !called_exit ? "return" : ending.by,
                                   .type = ending.type,
                                   .what = ending.what,
                                   .signal = ending.signal,
                                   .status = ending.status},
                                  block.processes > 1 ? block.rank : -1);
  if (reason.empty() || block.line == 0) return reason;
  return to_string(Place{std::string(block.folder) + block.path, block.line, block.column}) + ": " + reason;
}

}  // namespace lectern
