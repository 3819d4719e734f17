#include "record/endings.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <typeinfo>

#include <cxxabi.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "record/fault_guard.h"
#include "record/front_matter.h"
#include "record/immediate_exit.h"
#include "record/json_sink.h"
#include "record/main_thread.h"
#include "record/recorder.h"
#include "record/step_recorder.h"
#include "record/text_edit.h"
#include "record/type_name.h"

namespace lectern::probe {
namespace {

constexpr std::array kFaults{SIGSEGV, SIGBUS, SIGFPE, SIGILL};
constexpr std::array kSignals{SIGSEGV, SIGBUS, SIGFPE,  SIGILL,  SIGABRT, SIGTERM,
                              SIGINT,  SIGHUP, SIGQUIT, SIGXCPU, SIGSYS,  SIGTRAP};

// The actions that were installed before, and the lowest address of the main thread's stack.
struct sigaction previous[NSIG];
std::uintptr_t stack_end = 0;

bool is_stack_overflow(int number, const siginfo_t& info) {
  if (number != SIGSEGV || info.si_code <= 0 || stack_end == 0) return false;
  constexpr std::uintptr_t kBelow = 64 << 20, kAbove = 64 << 10;
  const auto address = reinterpret_cast<std::uintptr_t>(info.si_addr);
  return address < stack_end + kAbove && address + kBelow >= stack_end;
}

// Async-signal-safe.
void note_place(const StepRecorder& recorder, RunBlock& block) {
  const Statement statement = on_main_thread ? recorder.open_statement() : Statement{};
  if (!statement) return;
  copy_text(block.path, statement.source->path);
  block.line = statement.site->span.line;
  block.column = statement.site->span.column;
}

// What the C++ library's own assertions print before they abort. Async-signal-safe.
void note_assertion(RunBlock& block) {
  const capture::Text* const printed = capture::peek(capture::err);
  if (printed == nullptr) return;
  const std::string_view text = printed->bytes;
  const std::size_t begin = text.rfind("Assertion '"), end = text.find('\n', begin);
  if (begin != std::string_view::npos) copy_text(block.what, text.substr(begin, end - begin));
}

void on_signal(int number, siginfo_t* info, void*) {
  const int saved_errno = errno;
  values::escape_fault(number);
  StepRecorder* const recorder = StepRecorder::live();
  if (recorder != nullptr && recorder->block().recorder.load() == getpid()) {
    RunBlock& block = recorder->block();
    if (block.cause.load() == RunBlock::Cause::none) {
      note_place(*recorder, block);
      block.signal = number;
      if (number == SIGABRT) note_assertion(block);
      block.stack_overflow = on_main_thread && is_stack_overflow(number, *info) ? 1 : 0;
      block.note_cause(RunBlock::Cause::signal);
    }
    if (on_main_thread) recorder->finish_in_signal_handler();
    StepRecorder::stop();
  }
  // The previous action takes place: a fault repeats itself, any other signal is sent again.
  sigaction(number, &previous[number], nullptr);
  const bool fault = std::find(kFaults.begin(), kFaults.end(), number) != kFaults.end();
  if (!fault || info->si_code <= 0) raise(number);
  errno = saved_errno;
}

void find_stack_end() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  void* low = nullptr;
  std::size_t size = 0;
  if (pthread_attr_getstack(&attributes, &low, &size) == 0) stack_end = reinterpret_cast<std::uintptr_t>(low);
  pthread_attr_destroy(&attributes);
}

// A stack overflow can only be handled on another stack. Sanitizers bring their own.
void provide_signal_stack() {
  stack_t stack{};
  if (sigaltstack(nullptr, &stack) == 0 && (stack.ss_flags & SS_DISABLE) != 0) {
    constexpr std::size_t kSize = 64 << 10;
    void* const memory = mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED) {
      stack = {.ss_sp = memory, .ss_flags = 0, .ss_size = kSize};
      sigaltstack(&stack, nullptr);
    }
  }
}

void watch_signals() {
  find_stack_end();
  provide_signal_stack();
  struct sigaction action {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (const int number : kSignals) {
    if (sigaction(number, nullptr, &previous[number]) != 0) continue;
    if (previous[number].sa_handler == SIG_IGN) continue;
    sigaction(number, &action, nullptr);
  }
}

std::string what_of_current_exception() {
  try {
    throw;
  } catch (const std::exception& error) {
    return error.what();
  } catch (const std::string& text) {
    return text;
  } catch (const char* text) {
    return text == nullptr ? "" : text;
  } catch (...) {
    return {};
  }
}

// What the lecture says of its end, without the place, which is told beside it. A trace holds no absolute
// path: others are relative to the lecture's folder.
std::string without_place(std::string text, const RunBlock& block) {
  const std::string place =
      to_string(Place{std::string(block.folder) + block.path, block.line, block.column});
  if (block.line > 0 && text.starts_with(place + ": ")) text.erase(0, place.size() + 2);
  replace_all(text, record::lecture_folder().string() + "/", "");
  return text;
}

/// The message of the exception that is being handled; its type, too, where the message does not say enough.
std::string text_of_current_exception(const std::type_info& type) {
  std::string text = what_of_current_exception();
  try {
    throw;
  } catch (const Error&) {  // says what is wrong
  } catch (...) {
    text = std::string(type_name_of(type)) + (text.empty() ? "" : ": " + text);
  }
  replace_all(text, record::lecture_folder().string() + "/", "");
  return text;
}

void finish(StepRecorder& recorder, RunBlock::Cause cause) {
  recorder.block().note_cause(cause);
  if (on_main_thread) recorder.finish();
  StepRecorder::stop();
}

std::terminate_handler previous_terminate = nullptr;

[[noreturn]] void on_terminate() {
  StepRecorder* const recorder = StepRecorder::live();
  const std::type_info* const type = abi::__cxa_current_exception_type();
  if (recorder == nullptr || type == nullptr) {
    if (previous_terminate != nullptr) previous_terminate();
    std::abort();
  }
  RunBlock& block = recorder->block();
  note_place(*recorder, block);
  copy_text(block.type, type_name_of(*type));
  copy_text(block.what, without_place(what_of_current_exception(), block));
  finish(*recorder, RunBlock::Cause::exception);
  std::abort();
}

void on_exit_called() {
  StepRecorder* const recorder = StepRecorder::live();
  if (recorder == nullptr) return;
  note_place(*recorder, recorder->block());
  if (!recorder->inside_main()) record::note_return();
  finish(*recorder, recorder->inside_main() ? RunBlock::Cause::exited : RunBlock::Cause::returned);
}

/// As exit, without what functions registered for it: signal handlers may end a program so.
void note_immediate_exit() {
  StepRecorder* const recorder = StepRecorder::live();
  if (recorder == nullptr) return;
  RunBlock& block = recorder->block();
  if (block.recorder.load() != getpid() || block.cause.load() != RunBlock::Cause::none) return;
  note_place(*recorder, block);
  block.note_cause(RunBlock::Cause::exited);
  if (on_main_thread) recorder->finish_in_signal_handler();
  StepRecorder::stop();
}

}  // namespace

void caught() {
  const std::type_info* const type = abi::__cxa_current_exception_type();
  if (type == nullptr || !record::claims_go_on()) throw;  // without a type, a thread is being cancelled
  record::add_claim(R"({"ok":false,"threw":)" + json_text(text_of_current_exception(*type)) + "}");
}

void watch_endings() {
  watch_signals();
  on_immediate_exit = &note_immediate_exit;
  previous_terminate = std::set_terminate(on_terminate);
  std::atexit(on_exit_called);
  std::at_quick_exit(on_exit_called);
  pthread_atfork(capture::before_fork, capture::after_fork, [] {
    capture::after_fork();
    StepRecorder::stop();
  });
}

}  // namespace lectern::probe

namespace lectern::record {

void claim_failed(const Place& place, const std::string& claim) {
  probe::StepRecorder* const recorder = probe::StepRecorder::live();
  if (recorder == nullptr) {
    capture::print_diagnostic(to_string(place) + ": claim failed: " + claim);
  } else {  // the supervisor tells
    probe::note_place(*recorder, recorder->block());
    copy_text(recorder->block().what, claim);
    probe::finish(*recorder, RunBlock::Cause::claim);
  }
  std::abort();
}

}  // namespace lectern::record
