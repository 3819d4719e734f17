#include "supervise/ending.h"

#include <cstring>

#include <sys/wait.h>

#include "record/utf8_tail.h"

namespace lectern {

std::string signal_name(int number) {
  const char* const name = sigabbrev_np(number);
  return name == nullptr ? "signal " + std::to_string(number) : std::string("SIG") + name;
}

Ending ending_of(int wait_status, const RunBlock& block, const std::optional<Ending>& intervention) {
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
  } else if (exited && cause != Cause::signal) {
    ending.by = returned ? "return" : "exit";
  } else {
    // A sanitizer that reports a fault exits.
    if (ending.signal.empty()) ending.signal = signal_name(block.signal);
    ending.by = ending.signal == "SIGKILL" ? "killed" : ending.signal == "SIGABRT" ? "abort" : "signal";
    if (ending.by == "abort") ending.signal.clear();
    if (block.stack_overflow != 0) ending.what = "stack overflow";
  }
  return ending;
}

std::string reason_of(const Ending& ending, const RunBlock& block) {
  std::string reason =
      ending.by == "exception" && ending.type != "lectern::Error" ? "uncaught exception" : ending.signal;
  for (const std::string* part : {&ending.type, &ending.what}) {
    if (!part->empty() && *part != "lectern::Error") reason += (reason.empty() ? "" : ": ") + *part;
  }
  if (reason.empty() && ending.by == "abort") reason = "abort";
  if (ending.by == "exit" && block.recorder.load() != 0)
    reason = "the lecture called exit(" + std::to_string(ending.status) + ")";
  if (reason.empty() && ending.status != 0) reason = "exit status " + std::to_string(ending.status);
  if (reason.empty() || block.line == 0) return reason;
  const std::string place = std::string(block.path) + ":" + std::to_string(block.line) + ": ";
  return reason.find(place) == std::string::npos ? place + reason : reason;
}

}  // namespace lectern
