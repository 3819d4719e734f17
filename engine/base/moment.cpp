#include "base/moment.h"

#include <algorithm>

#include "base/characters.h"
#include "base/date.h"

namespace lectern {
namespace {

using std::chrono::minutes, std::chrono::seconds, std::chrono::sys_days;

constexpr std::size_t kDay = 10;         // characters of YYYY-MM-DD
constexpr minutes kMostOffset{14 * 60};  // of the zones that there are, and of XML's dates
constexpr minutes kHour{60}, kDayLength{24 * 60};

/// The number that such a form has, digits for its d: "dd:dd". -1 for another text.
int digits_of(std::string_view text, std::string_view form) {
  if (text.size() != form.size()) return -1;
  int number = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (form[i] != 'd' ? text[i] != form[i] : !is_digit(text[i])) return -1;
    if (form[i] == 'd') number = number * 10 + (text[i] - '0');
  }
  return number;
}

/// Of "hh:mm".
std::optional<minutes> minutes_of(std::string_view text) {
  const int digits = digits_of(text, "dd:dd");
  if (digits < 0 || digits % 100 > 59) return {};
  return digits / 100 * kHour + minutes(digits % 100);
}

/// Of "Z", "+hh:mm" or "-hh:mm".
std::optional<minutes> zone_of(std::string_view text) {
  if (text == "Z") return minutes(0);
  if (text.empty() || (text.front() != '+' && text.front() != '-')) return {};
  const auto offset = minutes_of(text.substr(1));
  if (!offset || *offset > kMostOffset) return {};
  return text.front() == '-' ? -*offset : *offset;
}

sys_days day_of(std::string_view text) {
  const auto number = [&](std::size_t at, std::string_view form) {
    return digits_of(text.substr(at, form.size()), form);
  };
  return std::chrono::year_month_day(std::chrono::year(number(0, "dddd")),
                                     std::chrono::month(static_cast<unsigned>(number(5, "dd"))),
                                     std::chrono::day(static_cast<unsigned>(number(8, "dd"))));
}

std::string two_digits(std::int64_t number) {
  return (number < 10 ? "0" : "") + std::to_string(number);
}

std::string hours_and_minutes(minutes time) {
  return two_digits(time / kHour) + ":" + two_digits((time % kHour).count());
}

/// The time of day in its zone.
seconds time_of_day(const Moment& moment) {
  const auto local = moment.begin + moment.east_of_utc;
  return local - std::chrono::floor<std::chrono::days>(local);
}

std::string day_text(const Moment& moment) {
  const std::chrono::year_month_day day(
      std::chrono::floor<std::chrono::days>(moment.begin + moment.east_of_utc));
  std::string year = std::to_string(static_cast<int>(day.year()));
  year.insert(0, 4 - std::min<std::size_t>(year.size(), 4), '0');
  return year + "-" + two_digits(static_cast<unsigned>(day.month())) + "-" +
         two_digits(static_cast<unsigned>(day.day()));
}

}  // namespace

std::optional<Moment> moment_of(std::string_view text) {
  const std::string_view day = text.substr(0, kDay);
  if (!is_day(day)) return {};
  const sys_days midnight = day_of(day);
  if (text.size() == kDay) return Moment{.begin = midnight};
  const std::size_t zone_at = text.find_first_of("Z+-", kDay);
  if (text[kDay] != 'T' || zone_at == text.npos) return {};
  const std::string_view time = text.substr(kDay + 1, zone_at - kDay - 1);
  const auto zone = zone_of(text.substr(zone_at));
  const auto clock = minutes_of(time.substr(0, 5));
  const int second =
      time.size() == 5 ? 0 : digits_of(time.substr(std::min<std::size_t>(time.size(), 5)), ":dd");
  if (!zone || !clock || *clock >= kDayLength || second < 0 || second > 59) return {};
  return Moment{midnight + *clock + seconds(second) - *zone, *zone, false};
}

std::string timestamp(const Moment& moment) {
  const seconds time = time_of_day(moment);
  std::string text = day_text(moment) + "T" + hours_and_minutes(std::chrono::floor<minutes>(time)) + ":" +
                     two_digits((time % minutes(1)).count());
  if (moment.east_of_utc == minutes(0)) return text + "Z";
  return text + (moment.east_of_utc < minutes(0) ? "-" : "+") +
         hours_and_minutes(std::chrono::abs(moment.east_of_utc));
}

std::string show_time(const Moment& moment) {
  const seconds time = time_of_day(moment), second = time % minutes(1);
  std::string text = hours_and_minutes(std::chrono::floor<minutes>(time));
  if (second != seconds(0)) text += ":" + two_digits(second.count());
  text += " UTC";
  if (moment.east_of_utc == minutes(0)) return text;
  const minutes offset = std::chrono::abs(moment.east_of_utc);
  text += (moment.east_of_utc < minutes(0) ? "\u2212" : "+") + std::to_string(offset / kHour);
  return offset % kHour == minutes(0) ? text : text + ":" + two_digits((offset % kHour).count());
}

}  // namespace lectern
