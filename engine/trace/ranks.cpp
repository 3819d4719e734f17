#include "trace/ranks.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/error.h"

namespace lectern {
namespace {

namespace fs = std::filesystem;

/// 2 of "name.rank2.json"; 0 of other names.
int rank_in_name(const fs::path& file) {
  constexpr std::string_view kMark = ".rank";
  if (file.extension() != ".json") return 0;
  const std::string mark = file.stem().extension();
  int rank = 0;
  if (!mark.starts_with(kMark) || mark.size() == kMark.size() || mark[kMark.size()] == '0') return 0;
  const char* const end = mark.data() + mark.size();
  const auto [stop, error] = std::from_chars(mark.data() + kMark.size(), end, rank);
  return error == std::errc() && stop == end ? rank : 0;
}

}  // namespace

fs::path rank_file(const fs::path& first, int rank) {
  if (rank == 0) return first;
  return fs::path(first).replace_extension(fmt::format(".rank{}.json", rank));
}

bool is_of_higher_rank(const fs::path& file) {
  return rank_in_name(file) > 0;
}

std::vector<fs::path> rank_files_from(const fs::path& first, int rank) {
  std::vector<fs::path> files;
  std::error_code none;
  const fs::path folder = first.parent_path();
  for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder, none)) {
    const int number = rank_in_name(entry.path());
    if (number >= std::max(rank, 1) && entry.path().filename() == rank_file(first, number).filename())
      files.push_back(rank_file(first, number));
  }
  std::ranges::sort(files, {}, rank_in_name);
  return files;
}

std::vector<Collective> collectives_of(const Step& step) {
  if (step.text.find("\"collectives\"") == std::string::npos) return {};
  return step.details().collectives;
}

int world_size(const Trace& trace) {
  return trace.profile ? std::max(1, trace.profile->world_size) : 1;
}

int rank_of(const Trace& trace) {
  return trace.profile ? trace.profile->rank : 0;
}

std::vector<fs::path> rank_files(const Trace& first, const fs::path& file) {
  std::vector<fs::path> files{file};
  for (int rank = 1; rank_of(first) == 0 && rank < world_size(first); ++rank) {
    files.push_back(rank_file(file, rank));
    if (!fs::exists(files.back())) {
      throw Error(
          fmt::format("{}: the trace of rank {} of {} is not there; run the lecture again, or put it "
                      "beside {}",
                      files.back().string(), rank, world_size(first), file.filename().string()));
    }
  }
  return files;
}

}  // namespace lectern
