#include "record/claim.h"

#include <string>

#include "record/pause.h"
#include "record/recorder.h"
#include "record/value_writer.h"

namespace lectern::claims {
namespace {

constexpr std::size_t kOperandBudget = 1024;

Place location(const char* file, int line) {
  const Place place = record::recording() ? record::here() : Place{};
  return place.file.empty() ? Place{.file = file, .line = line} : place;
}

/// The rest of a claim's JSON text.
std::string operands(const char* op, const std::string& left, const std::string& right) {
  if (op == nullptr) return "}";
  return std::string(R"(,"op":")") + op + R"(","left":)" + left + R"(,"right":)" + right + "}";
}

}  // namespace

std::string operand_json(void (*write)(const void*, ValueWriter&), const void* operand) {
  const record::Pause pause;
  std::string json;
  try {
    ValueWriter out(json, kOperandBudget);
    write(operand, out);
  } catch (...) {  // an operator<< of the lecture's: showing must not change what the program does
    json.clear();
  }
  return json.empty() ? R"({"cut":true})" : json;
}

bool wanted() {
  return record::recording() && !record::left_out();
}

void record_held(const char* op, const std::string& left, const std::string& right) {
  record::add_claim(R"({"ok":true)" + operands(op, left, right));
}

void fail(const char* text, const char* file, int line, const char* op, const std::string& left,
          const std::string& right) {
  std::string claim = text;
  if (op != nullptr) claim += "  (left " + left + ", right " + right + ")";
  const bool ends = !record::claims_go_on();
  if (ends) record::about_to_end();
  if (record::recording()) record::add_claim(R"({"ok":false)" + operands(op, left, right));
  if (ends) record::claim_failed(location(file, line), claim);
}

void check_plain(bool held, const char* text, const char* file, int line) {
  if (!held) return fail(text, file, line);
  if (record::recording()) record::add_claim(R"({"ok":true})");
}

}  // namespace lectern::claims
