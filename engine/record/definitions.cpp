#include "record/definitions.h"

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "base/utf8.h"
#include "record/cost_meter.h"
#include "trace/encode.h"

namespace lectern::probe {
namespace {

// Every byte as the code point of that number.
std::string latin1(std::string_view text) {
  std::string utf8;
  for (const char c : text) append_utf8(utf8, static_cast<unsigned char>(c));
  return utf8;
}

SourceFile described(const Source& source) {
  SourceFile file{.path = source.path, .language = source.language};
  file.lines.assign(source.lines, source.lines + source.line_count);
  for (int i = 0; i < source.hidden_count; ++i)
    file.hidden.push_back({source.hidden[i].first, source.hidden[i].last});
  if (std::all_of(file.lines.begin(), file.lines.end(), valid_utf8)) return file;
  file.encoding = "latin-1";
  for (std::string& line : file.lines) line = latin1(line);
  return file;
}

TracedFunction described(const Function& function, int source) {
  return {.name = function.name,
          .source = source,
          .span = function.span,
          .untraced = function.untraced == nullptr ? "" : function.untraced};
}

lectern::Site described(const Site& site, int first_function) {
  return {.function = first_function + site.function,
          .span = site.span,
          .kind = site.kind,
          .hide = site.hide,
          .over = site.over,
          .unknown = {site.fields == nullptr ? "" : site.fields}};
}

int thread_count() {
  if (const char* const asked = std::getenv("OMP_NUM_THREADS")) {
    if (const int count = std::atoi(asked); count > 0) return count;
  }
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

std::string compiler() {
#if defined(__clang__)
  return "clang++ " + std::to_string(__clang_major__) + "." + std::to_string(__clang_minor__) + "." +
         std::to_string(__clang_patchlevel__);
#else
  return "g++ " + std::to_string(__GNUC__) + "." + std::to_string(__GNUC_MINOR__) + "." +
         std::to_string(__GNUC_PATCHLEVEL__);
#endif
}

}  // namespace

std::string document_header(const RunBlock& run) {
  Ceilings ceilings;
  std::string device;
  if (record::cost_meter != nullptr) {
    ceilings = record::cost_meter->find_ceilings(run.profile);
    device = record::cost_meter->find_device(run.profile);
  }
  const Profile profile{.name = run.profile,
                        .device = device,
                        .threads = thread_count(),
                        .compiler = compiler(),
                        .libraries = {{}},
                        .ceilings = ceilings,
                        .rank = run.rank,
                        .world_size = run.processes};
  return "{\"format\":\"lectern-trace/1\",\n\"lecture\":" + to_json(std::string(run.lecture)) +
         ",\n\"profile\":" + to_json(profile) + ",\n\"records\":[\n";
}

std::string source_definition(const Source& source, int number) {
  std::string records;
  append_definition(records, "source", number, described(source));
  for (int i = 0; i < source.function_count; ++i)
    append_definition(records, "function", source.first_function + i, described(source.functions[i], number));
  for (int i = 0; i < source.site_count; ++i)
    append_definition(records, "site", source.first_site + i,
                      described(source.sites[i], source.first_function));
  return records;
}

std::string stack_definition(int number, const CallStack& stack, std::string_view name) {
  std::string record;
  append_definition(record, "stack", number,
                    Stack{.function = stack.function,
                          .name = std::string(name),
                          .parent = stack.parent,
                          .call = stack.call_site});
  return record;
}

}  // namespace lectern::probe
