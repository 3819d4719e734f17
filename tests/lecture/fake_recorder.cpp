#include "lecture/fake_recorder.h"

#include "record/pause.h"
#include "record/recorder.h"

namespace lectern {
namespace testing {

FakeRecorder& fake() {
  static FakeRecorder recorder;
  return recorder;
}

}  // namespace testing

namespace probe {

void claim_at_run_time(bool held) {
  if (testing::fake().recording) record::add_claim(held ? R"({"ok":true})" : R"({"ok":false})");
  if (!held) record::claim_failed("a claim does not hold");
}
void Inspection::begin() const {}
void Inspection::end() const {}
void Inspection::clear_at_run_time(const char* /*name*/) const {}

}  // namespace probe

namespace record {

using testing::fake;

Pause::Pause() : active_(true) {
  ++fake().pauses;
}
Pause::~Pause() {
  if (active_) ++fake().resumed;
}

bool recording() {
  return fake().recording;
}
Place here() {
  return {.file = "lecture.cpp", .line = 7};
}
void add_rendering(std::string_view json) {
  fake().renderings.emplace_back(json);
}
void add_variable(std::string_view expression, std::string_view json) {
  fake().variables.emplace_back(expression, json);
}
void add_claim(std::string_view json) {
  fake().claims.emplace_back(json);
}
void warn(const std::string& message) {
  fake().warnings.push_back(message);
}
std::filesystem::path lecture_folder() {
  return fake().folder;
}
std::filesystem::path assets_folder() {
  std::filesystem::create_directories(fake().assets);
  return fake().assets;
}

const char* fields_of(std::string_view type) {
  const auto& fields = fake().fields;
  if (const auto found = fields.find(type); found != fields.end()) return found->second.c_str();
  const std::size_t colons = type.rfind("::");
  const auto local = fields.find(colons == std::string_view::npos ? type : type.substr(colons + 2));
  return local == fields.end() ? nullptr : local->second.c_str();
}

const probe::Function* find_function(std::string_view name) {
  for (const probe::Function& function : fake().functions) {
    const std::string_view candidate = function.name;
    if (candidate == name || candidate.ends_with("::" + std::string(name))) return &function;
  }
  return nullptr;
}

void claim_failed(const std::string& message) {
  throw testing::ClaimFailed(message);
}

}  // namespace record
}  // namespace lectern
