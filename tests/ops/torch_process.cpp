#include "ops/torch_process.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <nlohmann/json.hpp>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/files.h"
#include "temporary_folder.h"
#include "tensor/creation.h"

namespace lectern::test {
namespace {

using nlohmann::json;

const std::string kPython = "/usr/bin/python3";
const std::string kScript = LECTERN_SOURCE_DIR "/tests/ops/torch_reference.py";

/// Gets the name of a folder on a line, and says a line when the answers are in it.
class TorchProcess {
 public:
  TorchProcess() {
    if (!std::filesystem::exists(kScript)) return;  // a bundle has no sources
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
      throw Error(std::string("socketpair: ") + std::strerror(errno));
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    const std::array<char*, 3> arguments = {const_cast<char*>(kPython.c_str()),
                                            const_cast<char*>(kScript.c_str()), nullptr};
    if (posix_spawn(&process_, kPython.c_str(), &actions, nullptr, arguments.data(), environ) != 0)
      process_ = -1;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    socket_ = ends[0];
  }
  TorchProcess(const TorchProcess&) = delete;
  TorchProcess& operator=(const TorchProcess&) = delete;
  ~TorchProcess() { end(); }

  /// Whether there is a PyTorch.
  bool answers(const std::string& folder) {
    const std::string line = folder + "\n";
    char answered = 0;
    if (process_ > 0 &&
        send(socket_, line.data(), line.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(line.size()) &&
        read(socket_, &answered, 1) == 1) {
      return true;
    }
    if (const int status = end(); status != 77) {
      throw Error(kScript + " ended with status " + std::to_string(status) + "; see above");
    }
    return false;
  }

 private:
  /// The exit status; 77 where there is no such program.
  int end() {
    if (socket_ >= 0) close(socket_);
    socket_ = -1;
    if (process_ > 0) {
      int status = 0;
      waitpid(process_, &status, 0);
      status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
    }
    process_ = -1;
    return status_;
  }

  pid_t process_ = -1;
  int socket_ = -1;
  int status_ = 77;
};

/// Adds the bytes of the storage to `bytes`.
json written(std::string& bytes, const Tensor& tensor) {
  const Storage& storage = tensor.storage();
  const std::size_t begin = bytes.size();
  const auto elements = static_cast<std::int64_t>(storage.nbytes()) / tensor.element_size();
  const Tensor whole = tensor.as_strided({elements}, {1}, 0).cpu();
  bytes.append(static_cast<const char*>(whole.storage().data_ptr()), storage.nbytes());
  const auto list = [](const Sizes& sizes) { return std::vector<std::int64_t>(sizes.begin(), sizes.end()); };
  return {{"dtype", name(tensor.dtype())},
          {"sizes", list(tensor.sizes())},
          {"strides", list(tensor.strides())},
          {"offset", tensor.storage_offset()},
          {"begin", begin},
          {"end", bytes.size()}};
}

std::optional<TorchValue> value(const std::string& bytes, const json& value) {
  if (value.is_null()) return {};
  const auto begin = value["begin"].get<std::size_t>(), end = value["end"].get<std::size_t>();
  return TorchValue{dtype_from_name(value["dtype"].get<std::string>()).value(),
                    value["sizes"].get<std::vector<std::int64_t>>(), bytes.substr(begin, end - begin)};
}

TorchOutcome outcome(const std::string& bytes, const json& result) {
  if (result.contains("error")) return {{}, result["error"].get<std::string>()};
  TorchOutcome outcome;
  for (const json& one : result["values"]) outcome.values.push_back(value(bytes, one));
  return outcome;
}

TorchRun run_of(const std::string& bytes, const json& result) {
  TorchRun run;
  for (const json& error : result["errors"]) {
    run.errors.emplace_back(error.is_null() ? std::nullopt : std::optional(error.get<std::string>()));
  }
  for (const json& one : result["variables"]) {
    run.variables.emplace_back();
    if (one.is_null()) continue;
    run.variables.back() = {value(bytes, one["value"]).value(), one["requires_grad"].get<bool>(),
                            value(bytes, one["grad"])};
  }
  return run;
}

struct Answers {
  json results;
  std::string bytes;  ///< of all tensors in them
};

/// One result for each case, of which `bytes` are the inputs.
std::optional<Answers> answers_to(const json& cases, const std::string& bytes) {
  static TorchProcess torch;
  const TemporaryFolder folder;
  write_file(folder / "cases.json", cases.dump());
  write_file(folder / "inputs", bytes);
  if (!torch.answers(folder.path().string())) return {};
  Answers answers{json::parse(read_file(folder / "results.json")), read_file(folder / "results")};
  if (answers.results.size() != cases.size()) throw Error(kScript + " did not answer every case");
  return answers;
}

}  // namespace

Tensor tensor_of(const TorchValue& value) {
  const auto elements = static_cast<std::int64_t>(value.bytes.size()) / element_size(value.dtype);
  const Tensor made = empty({elements}, {.dtype = value.dtype, .device = cpu});
  value.bytes.copy(static_cast<char*>(made.data_ptr()), value.bytes.size());
  return made;
}

std::optional<std::vector<TorchAnswer>> ask_torch(const std::vector<Trial>& trials) {
  json cases = json::array();
  std::string bytes;
  for (const Trial& trial : trials) {
    json inputs = json::object();
    char called = 'a';
    for (const Laid& input : trial.inputs()) inputs[std::string(1, called++)] = written(bytes, input.tensor);
    cases.push_back({{"expression", trial.row->expression},
                     {"dtype", name(trial.dtype)},
                     {"inputs", inputs},
                     {"gradients", trial.with_gradients()},
                     {"composed", trial.row->composed}});
  }
  const auto found = answers_to(cases, bytes);
  if (!found) return {};
  std::vector<TorchAnswer> answers;
  for (const json& result : found->results) {
    answers.push_back({outcome(found->bytes, result["values"]), {}});
    if (result.contains("gradients")) answers.back().gradients = outcome(found->bytes, result["gradients"]);
  }
  return answers;
}

std::optional<std::vector<TorchRun>> ask_torch(const std::vector<std::vector<std::string>>& programs) {
  json cases = json::array();
  for (const auto& statements : programs) cases.push_back({{"program", statements}});
  const auto found = answers_to(cases, "");
  if (!found) return {};
  std::vector<TorchRun> runs;
  for (const json& result : found->results) runs.push_back(run_of(found->bytes, result));
  return runs;
}

}  // namespace lectern::test
