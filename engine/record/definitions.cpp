#include "record/definitions.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <thread>

#include "base/utf8.h"
#include "record/json_sink.h"

namespace lectern::probe {
namespace {

std::string span_field(const Span& span) {
  return ",\"span\":[" + std::to_string(span.line) + "," + std::to_string(span.column) + "," +
         std::to_string(span.end_line) + "," + std::to_string(span.end_column) + "]";
}

// Every byte as the code point of that number.
std::string latin1(std::string_view text) {
  std::string utf8;
  for (const char c : text) append_utf8(utf8, static_cast<unsigned char>(c));
  return utf8;
}

std::string file_record(const Source& source, int number) {
  const char* const* const end = source.lines + source.line_count;
  const bool utf8 = std::all_of(source.lines, end, [](const char* line) { return valid_utf8(line); });
  std::string json = "{\"source\":" + std::to_string(number) + ",\"path\":" + json_text(source.path) +
                     ",\"language\":" + json_text(source.language);
  if (!utf8) json += ",\"encoding\":\"latin-1\"";
  json += ",\"lines\":[";
  for (const char* const* line = source.lines; line != end; ++line) {
    json += line == source.lines ? "\n" : ",\n";
    json += json_text(utf8 ? std::string(*line) : latin1(*line));
  }
  return json + "]},\n";
}

std::string function_record(const Function& function, int number, int source) {
  std::string json = "{\"function\":" + std::to_string(number) + ",\"name\":" + json_text(function.name);
  json += ",\"source\":" + std::to_string(source) + span_field(function.span);
  if (function.untraced != nullptr) json += ",\"untraced\":" + json_text(function.untraced);
  return json + "},\n";
}

std::string name_list(std::string_view names) {
  std::string json = "[";
  while (!names.empty()) {
    const std::size_t end = std::min(names.find(' '), names.size());
    if (end > 0) json += (json.size() > 1 ? "," : "") + json_text(names.substr(0, end));
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return json + "]";
}

std::string site_record(const Site& site, int number, int first_function) {
  static constexpr std::array<const char*, 8> kKinds{"",      "hook",   "claim", "return",
                                                     "throw", "branch", "loop",  "jump"};
  std::string json = "{\"site\":" + std::to_string(number) +
                     ",\"function\":" + std::to_string(first_function + site.function) +
                     span_field(site.span);
  if (site.kind != Kind::statement)
    json += ",\"kind\":" + json_text(kKinds[static_cast<std::size_t>(site.kind)]);
  if (site.hide) json += ",\"hide\":true";
  if (site.over) json += ",\"over\":true";
  if (site.volatile_names != nullptr) json += ",\"volatile\":" + name_list(site.volatile_names);
  if (site.tolerances != nullptr) json += std::string(",\"tolerance\":") + site.tolerances;
  return json + "},\n";
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
  return "{\"format\":\"lectern-trace/1\",\n\"lecture\":" + json_text(run.lecture) +
         ",\n\"profile\":{\"name\":" + json_text(run.profile) +
         ",\"threads\":" + std::to_string(thread_count()) + ",\"compiler\":" + json_text(compiler()) +
         ",\"libraries\":{}},\n\"records\":[\n";
}

std::string source_definition(const Source& source, int number) {
  std::string records = file_record(source, number);
  for (int i = 0; i < source.function_count; ++i)
    records += function_record(source.functions[i], source.first_function + i, number);
  for (int i = 0; i < source.site_count; ++i)
    records += site_record(source.sites[i], source.first_site + i, source.first_function);
  return records;
}

std::string stack_definition(int number, const CallStack& stack, std::string_view name) {
  std::string json =
      "{\"stack\":" + std::to_string(number) + ",\"function\":" + std::to_string(stack.function);
  if (!name.empty()) json += ",\"name\":" + json_text(name);
  if (stack.parent >= 0) json += ",\"parent\":" + std::to_string(stack.parent);
  if (stack.call_site >= 0) json += ",\"call\":" + std::to_string(stack.call_site);
  return json + "},\n";
}

}  // namespace lectern::probe
