#include "supervise/sanitizer_report.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "base/lines.h"

namespace lectern {
namespace {

constexpr std::string_view kUndefined = ": runtime error: ";
constexpr std::string_view kAddress = "ERROR: AddressSanitizer: ";
constexpr int kFrames = 8;  // of each stack

/// A function of the lecture's in a stack: "#0 0x5581 in sum(int*) /folder/name.cpp:7:3".
struct Frame {
  std::string_view function;  ///< without its parameters
  std::string_view place;     ///< "name.cpp:7:3"
};

std::optional<Frame> parse_frame(std::string_view line, const std::string& folder) {
  const std::size_t in = line.find(" in "), path = line.find(" " + folder + "/");
  if (in == std::string_view::npos || path == std::string_view::npos || path < in + 4) return std::nullopt;
  std::string_view function = line.substr(in + 4, path - in - 4);
  function = function.substr(0, function.find('('));
  return Frame{function, line.substr(path + folder.size() + 2)};
}

/// Takes over "name.cpp:7:3".
void set_place(SanitizerReport& report, std::string_view place) {
  const std::size_t line = std::min(place.find(':'), place.size());
  const std::size_t column = std::min(place.find(':', line + 1), place.size());
  const auto number = [&](std::size_t begin) {
    return begin < place.size() ? std::atoi(std::string(place.substr(begin + 1)).c_str()) : 0;
  };
  report.path = place.substr(0, line);
  report.line = number(line);
  report.column = number(column);
}

class AddressReport {
 public:
  AddressReport(std::string_view text, const std::string& folder) : folder_(folder) {
    report_.sanitizer = "AddressSanitizer";
    while (!text.empty()) add(take_line(text));
  }
  SanitizerReport take() && { return std::move(report_); }

 private:
  void add(std::string_view line) {
    if (const std::size_t kind = line.find(kAddress); kind != std::string_view::npos) {
      const std::string_view rest = line.substr(kind + kAddress.size());
      report_.what = rest.substr(0, std::min(rest.find(" on "), rest.find(" (")));
    } else if (line.starts_with("READ of size ") || line.starts_with("WRITE of size ")) {
      report_.what.append(": ").append(line.substr(0, line.find(" at ")));
    } else if (const auto frame = parse_frame(line, folder_)) {
      add(*frame);
    } else if (line.find(" thread T") != std::string_view::npos && line.ends_with(" here:")) {
      stack_ = line.substr(0, line.find(" by thread"));  // "freed", "previously allocated"
      frames_ = 0;
    } else if (line.starts_with("SUMMARY:")) {
      stack_ = {};
      frames_ = kFrames;
    }
  }

  void add(const Frame& frame) {
    if (frames_ == 0 && stack_.empty()) set_place(report_, frame.place);
    // Recursion is reported by its innermost call.
    if (std::exchange(last_, frame.place) == frame.place && frames_ > 0) return;
    if (frames_++ >= kFrames) return;
    report_.what.append(frames_ > 1      ? ", called from "
                        : stack_.empty() ? " in "
                                         : "; " + std::string(stack_) + " in ");
    report_.what.append(frame.function).append(" (").append(frame.place).append(")");
  }

  const std::string& folder_;
  SanitizerReport report_;
  std::string_view stack_;  // of which the frames are
  std::string_view last_;   // the place of the frame before
  int frames_ = 0;
};

}  // namespace

std::optional<SanitizerReport> take_sanitizer_report(std::string& text, const std::string& folder) {
  std::size_t begin = text.find(kAddress);
  if (begin != std::string::npos) {
    begin = text.rfind('\n', begin) + 1;  // 0 when it is the first line
    SanitizerReport report = AddressReport(std::string_view(text).substr(begin), folder).take();
    text.resize(begin);
    const std::size_t rule = text.find_last_not_of("=\n");  // the rule above it
    text.resize(rule == std::string::npos ? 0 : rule + 1);
    return report;
  }
  const std::size_t mark = text.find(kUndefined);
  if (mark == std::string::npos) return std::nullopt;
  begin = text.rfind('\n', mark) + 1;
  const std::size_t end = std::min(text.find('\n', mark), text.size());
  const std::string place = text.substr(begin, mark - begin);
  const std::size_t what = mark + kUndefined.size();
  SanitizerReport report{.sanitizer = "UndefinedBehaviorSanitizer", .what = text.substr(what, end - what)};
  if (place.starts_with(folder + "/")) set_place(report, place.substr(folder.size() + 1));
  text.resize(begin);
  return report;
}

}  // namespace lectern
