#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <unistd.h>

#include "base/tensor_error.h"
#include "distributed/store.h"

namespace lectern::distributed {
namespace {

namespace fs = std::filesystem;

class FileStore final : public Store {
 public:
  FileStore(const std::string& folder, int rank)
      : folder_(folder), values_(folder_ / "rendezvous"), is_first_(rank == 0) {
    std::error_code error;
    fs::create_directories(values_, error);
    if (error || !fs::is_directory(values_))
      throw TensorError("init_process_group", "can't make the folder " + folder + " to meet in: " +
                                                  (error ? error.message() : "it is a file"));
  }

  /// A name that exists only with the whole value: a link to a finished file.
  bool add(const std::string& key, const std::string& value) override {
    const fs::path written = values_ / ("." + key + "." + std::to_string(getpid()));
    {
      std::ofstream out(written, std::ios::binary);
      out << value;
      if (!out.flush()) fail("write", written);
    }
    const bool is_new = link(written.c_str(), (values_ / key).c_str()) == 0;
    const int error = errno;
    std::error_code none;
    fs::remove(written, none);
    if (!is_new && error != EEXIST) fail("write", values_ / key, error);
    return is_new;
  }

  std::optional<std::string> find(const std::string& key) override {
    std::ifstream in(values_ / key, std::ios::binary);
    if (!in) return {};
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }

  void close() override {
    if (!is_first_) return;
    std::error_code none;
    fs::remove_all(values_, none);
    fs::remove(folder_, none);  // not where the user has something else in it
  }

 private:
  [[noreturn]] static void fail(const char* what, const fs::path& file, int error = errno) {
    throw TensorError("init_process_group",
                      std::string("can't ") + what + " " + file.string() + ": " + std::strerror(error));
  }

  fs::path folder_, values_;
  bool is_first_;
};

}  // namespace

std::unique_ptr<Store> file_store(const std::string& folder, int rank) {
  return std::make_unique<FileStore>(folder, rank);
}

}  // namespace lectern::distributed
