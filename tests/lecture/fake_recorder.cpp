#include "lecture/fake_recorder.h"

#include <algorithm>

#include "record/pause.h"
#include "record/recorder.h"

namespace lectern {
namespace test {

FakeRecorder& fake() {
  static FakeRecorder recorder;
  return recorder;
}

}  // namespace test

namespace probe {

void claim_at_run_time(bool held, const char* /*text*/) {
  if (test::fake().recording) record::add_claim(held ? R"({"ok":true})" : R"({"ok":false})");
  if (!held) record::claim_failed(record::here(), "");
}
void Inspection::begin() const {}
void Inspection::end() const {}
void Inspection::clear_at_run_time(const char* /*name*/) const {}

}  // namespace probe

namespace record {

using test::fake;

Pause::Pause() : active_(true) {
  ++fake().pauses;
}
Pause::~Pause() {
  if (active_) ++fake().resumed;
}

bool recording() {
  return fake().recording;
}
bool left_out() {
  return false;
}
bool claims_go_on() {
  return fake().exercise;
}
void about_to_end() {}
int processes() {
  return fake().processes;
}
void add_collective(std::string_view json) {
  fake().collectives.emplace_back(json);
}
Place here() {
  return {.file = "lecture.cpp", .line = 7};
}
void add_rendering(std::string_view json) {
  fake().renderings.emplace_back(json);
}
void note_front_matter() {}
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

bool has_class(std::string_view name) {
  return std::count(fake().classes.begin(), fake().classes.end(), name) > 0;
}

const probe::Function* find_function(std::string_view name) {
  for (const probe::Function& function : fake().functions) {
    const std::string_view candidate = function.name;
    if (candidate == name || candidate.ends_with("::" + std::string(name))) return &function;
  }
  return nullptr;
}

void claim_failed(const Place& place, const std::string& claim) {
  throw test::ClaimFailed(to_string(place) + ": claim failed: " + claim);
}

}  // namespace record
}  // namespace lectern
