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
  FileStore(const std::string& folder, int rank) : folder_(folder), is_first_(rank == 0) {
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error || !fs::is_directory(folder_))
      throw TensorError("init_process_group", "can't make the folder " + folder + " to meet in: " +
                                                  (error ? error.message() : "it is a file"));
  }

  /// A name that exists only with the whole value: a link to a finished file.
  bool add(const std::string& key, const std::string& value) override {
    const fs::path written = folder_ / ("." + key + "." + std::to_string(getpid()));
    {
      std::ofstream out(written, std::ios::binary);
      out << value;
      if (!out.flush()) fail("write", written);
    }
    const bool is_new = link(written.c_str(), (folder_ / key).c_str()) == 0;
    const int error = errno;
    std::error_code none;
    fs::remove(written, none);
    if (!is_new && error != EEXIST) fail("write", folder_ / key, error);
    return is_new;
  }

  std::optional<std::string> find(const std::string& key) override {
    std::ifstream in(folder_ / key, std::ios::binary);
    if (!in) return {};
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }

  void close() override {
    std::error_code none;
    if (is_first_) fs::remove_all(folder_, none);
  }

 private:
  [[noreturn]] static void fail(const char* what, const fs::path& file, int error = errno) {
    throw TensorError("init_process_group",
                      std::string("can't ") + what + " " + file.string() + ": " + std::strerror(error));
  }

  fs::path folder_;
  bool is_first_;
};

}  // namespace

std::unique_ptr<Store> file_store(const std::string& folder, int rank) {
  return std::make_unique<FileStore>(folder, rank);
}

}  // namespace lectern::distributed
