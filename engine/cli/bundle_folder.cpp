#include <array>
#include <map>
#include <set>
#include <sstream>

#include "base/error.h"
#include "base/files.h"
#include "cli/bundle.h"
#include "cli/process.h"

namespace lectern::cli {
namespace fs = std::filesystem;
namespace {

/// Of every system that runs programs at all, and what must be the driver's own.
bool is_of_the_system(const std::string& library) {
  constexpr std::array kSystem = {"ld-linux",   "libc.so",       "libdl.so", "libgcc_s.so",
                                  "libm.so",    "libpthread.so", "librt.so", "libstdc++.so",
                                  "linux-vdso", "libcuda.so",    "libnvidia"};
  for (const char* prefix : kSystem) {
    if (library.starts_with(prefix)) return true;
  }
  return false;
}

/// A file, or a folder with all that is in it; what is a link becomes what it leads to.
void copy_into(const fs::path& from, const fs::path& folder) {
  fs::create_directories(folder);
  fs::copy(from, folder / from.filename(),
           fs::copy_options::recursive | fs::copy_options::overwrite_existing);
}

std::vector<fs::path> entries_of(const fs::path& folder) {
  return {fs::directory_iterator(folder), fs::directory_iterator()};
}

std::string names_of(const std::vector<fs::path>& files) {
  std::string names;
  for (const fs::path& file : files) names += file.filename().string() + "\n";
  return names;
}

void add_libraries(const std::vector<fs::path>& programs, const fs::path& folder) {
  for (const fs::path& library : libraries_of(programs)) {
    fs::create_directories(folder / "lib");
    fs::copy_file(fs::canonical(library), folder / "lib" / library.filename());
  }
}

/// Which tests and cases the sanitizer and the profiler get, and PyTorch's side of the benchmarks.
void add_scripts(const fs::path& root, const fs::path& folder) {
  for (const char* list : {"sanitizer", "profile"})
    copy_into(root / "tests/bundle/lists" / list, folder / "lists");
  copy_into(root / "tests/bench/torch_bench.py", folder / "bin");
}

/// Runs a command that is to succeed.
void need(const Command& command) {
  std::string said;
  const int status = run_command(command, [&](std::string_view line) { said = line; });
  if (status != 0)
    throw Error("`" + command.arguments.front() + "` failed with exit status " + std::to_string(status) +
                ": " + said);
}

void pack(const fs::path& folder, const fs::path& archive) {
  need({.arguments = {"tar", "--create", "--use-compress-program", "gzip", "--owner=0", "--group=0", "--file",
                      archive, "--directory", folder, "."}});
}

struct ManifestLine {
  std::string kind, rest;
};

std::vector<ManifestLine> lines_of(const fs::path& manifest) {
  std::vector<ManifestLine> lines;
  std::istringstream text(read_file(manifest));
  for (std::string line; std::getline(text, line);) {
    const auto space = line.find(' ');
    lines.push_back({line.substr(0, space), space == std::string::npos ? "" : line.substr(space + 1)});
  }
  return lines;
}

[[noreturn]] void refuse(const fs::path& manifest, const ManifestLine& line) {
  throw Error(manifest.string() + ": `" + line.kind + " " + line.rest +
              "` is nothing that a bundle has; configure anew");
}

}  // namespace

BundlePrograms read_bundle_programs(const fs::path& manifest) {
  BundlePrograms found;
  for (const ManifestLine& line : lines_of(manifest)) {
    if (line.kind == "test") {
      found.tests.emplace_back(line.rest);
    } else if (line.kind == "lecture") {
      found.lectures.emplace_back(line.rest);
    } else if (line.kind == "program") {
      found.programs.emplace_back(line.rest);
    } else if (line.kind == "texts") {
      found.texts = line.rest;
    } else if (line.kind == "architectures") {
      found.architectures = line.rest;
    } else {
      refuse(manifest, line);
    }
  }
  return found;
}

BundleDependencies read_bundle_dependencies(const fs::path& manifest) {
  BundleDependencies dependencies;
  for (const ManifestLine& line : lines_of(manifest)) {
    const auto space = line.rest.find(' ');
    const fs::path path =
        line.kind == "found" && space != std::string::npos ? line.rest.substr(space + 1) : line.rest;
    if (!path.is_absolute() || !fs::exists(path))
      throw Error(manifest.string() + ": `" + line.rest +
                  "` was not found here; install what is missing (`./lectern doctor`), and build anew");
    if (line.kind == "found") {
      dependencies.found.emplace_back(line.rest.substr(0, space), path);
    } else if (line.kind == "file") {
      dependencies.files.push_back(path);
    } else {
      refuse(manifest, line);
    }
  }
  return dependencies;
}

std::vector<fs::path> libraries_of(const std::vector<fs::path>& programs) {
  std::map<std::string, fs::path> found;
  for (const fs::path& program : programs) {
    run_command({.arguments = {"ldd", program}}, [&](std::string_view line) {
      std::istringstream words{std::string(line)};
      std::string name, arrow, path;
      words >> name >> arrow >> path;
      if (arrow != "=>" || is_of_the_system(name)) return;
      if (path.empty() || path.front() != '/')
        throw Error(program.string() + ": its library " + name + " is not found; build it anew");
      found.emplace(name, path);
    });
  }
  std::vector<fs::path> libraries;
  libraries.reserve(found.size());
  for (const auto& [name, path] : found) libraries.push_back(path);
  return libraries;
}

void add_programs(const fs::path& root, const BundlePrograms& contents, const fs::path& folder) {
  std::vector<fs::path> programs = contents.programs;
  for (const auto* more : {&contents.tests, &contents.lectures})
    programs.insert(programs.end(), more->begin(), more->end());
  for (const fs::path& program : programs) copy_into(program, folder / "bin");
  add_libraries(programs, folder);
  copy_into(root / "lectures/figures", folder / "lectures");
  for (const auto& room : fs::directory_iterator(root / "tests")) {
    const fs::path goldens = room.path() / "goldens";
    if (fs::is_directory(goldens)) copy_into(goldens, folder / "tests" / room.path().filename());
  }
  copy_into(root / "tests/checkpoint/safetensors.py", folder / "tests/checkpoint");
  if (fs::exists(contents.texts)) copy_into(contents.texts, folder);
  add_scripts(root, folder);
  write_file(folder / "lists/tests", names_of(contents.tests));
  write_file(folder / "lists/lectures", names_of(contents.lectures));
}

void add_sources(const fs::path& root, const BundleDependencies& dependencies, const fs::path& tool,
                 const fs::path& folder) {
  std::vector<fs::path> sources;
  need({.arguments = {"git", "-C", root, "rev-parse", "--git-dir"}});
  run_command({.arguments = {"git", "-C", root, "-c", "core.quotePath=off", "ls-files", "--cached",
                             "--others", "--exclude-standard", "--", "CMakeLists.txt", "CMakePresets.json",
                             "engine", "kernels", "tests"},
               .errors = false},
              [&](std::string_view line) { sources.emplace_back(line); });
  for (const fs::path& source : sources) {
    if (fs::exists(root / source)) copy_into(root / source, folder / "source" / source.parent_path());
  }
  for (const fs::path& file : dependencies.files)
    copy_into(file, folder / "dependencies" / file.parent_path().relative_path());
  std::string cache;
  for (const auto& [name, path] : dependencies.found) {
    cache += "set(" + name + " \"${CMAKE_CURRENT_LIST_DIR}/" + path.relative_path().string() +
             "\" CACHE PATH \"Of the bundle\")\n";
  }
  cache += "set(CMAKE_BUILD_RPATH \"${CMAKE_CURRENT_LIST_DIR}/../lib\" CACHE PATH \"Of the bundle\")\n";
  write_file(folder / "dependencies/found.cmake", cache);
  copy_into(tool, folder / "bin");
  std::vector<fs::path> programs{tool};
  for (const fs::path& file : dependencies.files) {
    if (file.filename().string().find(".so") != std::string::npos) programs.push_back(file);
  }
  add_libraries(programs, folder);
  for (const fs::path& library : std::vector(programs.begin() + 1, programs.end())) {
    const fs::path link = folder / "lib" / library.filename();
    fs::remove(link);
    fs::create_symlink(".." / ("dependencies" / library.relative_path()), link);
  }
  add_scripts(root, folder);
  write_file(folder / "lists/lectures", "");
}

void write_bundle(const fs::path& root, const std::string& about, const fs::path& out,
                  const std::function<void(const fs::path&)>& fill) {
  const fs::path folder = out.string() + ".partial";  // there already: an earlier bundle was not finished
  if (fs::exists(out) && !fs::is_empty(out) && !fs::exists(out / "commit") && !fs::exists(folder))
    throw Error(out.string() + ": it holds something else than a bundle; name another folder with --out");
  fs::remove_all(folder);

  const fs::path files = folder / "files";
  fill(files);
  write_file(files / "commit", about);
  pack(files, folder / "files.tar.gz");
  fs::remove_all(files);
  write_file(folder / "commit", about);
  copy_into(root / "tests/bundle/run", folder);
  copy_into(root / "LICENSE", folder);

  // Entry by entry: results of earlier runs stay where they are, whatever ends this one.
  fs::create_directories(out);
  for (const fs::path& entry : entries_of(out)) {
    if (entry.filename() != "results") fs::remove_all(entry);
  }
  for (const fs::path& entry : entries_of(folder)) fs::rename(entry, out / entry.filename());
  fs::remove(folder);
}

}  // namespace lectern::cli
