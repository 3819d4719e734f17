#include "cli/commands/audience_options.h"

#include <cstdlib>
#include <ctime>
#include <string>

#include "base/date.h"

namespace lectern::cli {
namespace {

/// In local time; in UTC for a reproducible build.
std::string today() {
  char* end = nullptr;
  const char* const epoch = std::getenv("SOURCE_DATE_EPOCH");
  std::time_t time = epoch == nullptr ? std::time(nullptr) : std::strtoll(epoch, &end, 10);
  if (epoch != nullptr && (end == epoch || *end != '\0'))
    throw CLI::ValidationError("SOURCE_DATE_EPOCH is `" + std::string(epoch) +
                               "`, which is no number of seconds");
  std::tm day{};
  epoch == nullptr ? localtime_r(&time, &day) : gmtime_r(&time, &day);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", &day);
  return text;
}

}  // namespace

void add_audience_options(CLI::App& command, Audience& audience) {
  command
      .add_option_function<std::string>(
          "--audience",
          [&audience](const std::string& name) {
            audience.students = name == "students";
            if (audience.date.empty()) audience.date = today();
          },
          "teachers, or students: without speaker's notes, and without the answers of exercises whose\n"
          "day has not come")
      ->check(CLI::IsMember({"students", "teachers"}));
  command
      .add_option("--date", audience.date,
                  "The day for which answers are in, YYYY-MM-DD; by default today, or SOURCE_DATE_EPOCH's")
      ->check(CLI::Validator(
          [](const std::string& text) {
            return is_day(text) ? std::string() : "`" + text + "` is not a day; write it as YYYY-MM-DD";
          },
          "YYYY-MM-DD"));
}

}  // namespace lectern::cli
