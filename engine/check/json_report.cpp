#include <cmath>

#include <nlohmann/json.hpp>

#include "check/report.h"

namespace lectern {

using Json = nlohmann::ordered_json;

namespace {

Json place_json(const LectureReport& lecture, const DifferencePlace& place) {
  if (place.path.empty()) return nullptr;
  Json json{{"path", source_path(lecture, place)}, {"line", place.line}};
  if (place.step >= 0) {
    json["step"] = place.step + 1;
    json["link"] = place.link;
  }
  return json;
}

/// JSON has no infinity.
Json finite(double number) {
  return std::isfinite(number) ? Json(number) : Json(nullptr);
}

Json item_json(const LectureReport& lecture, const Difference& item) {
  Json json{{"id", item.id},
            {"kind", to_string(item.kind)},
            {"function", item.function},
            {"subject", item.subject},
            {"message", item.message},
            {"steps", item.steps},
            {"old", place_json(lecture, item.old_place)},
            {"new", place_json(lecture, item.new_place)}};
  if (item.value) json["places"] = item.value->places;
  if (item.value && item.value->elements > 0) {
    json["tensor"] = {{"elements", item.value->elements},
                      {"differing", item.value->differing},
                      {"largest", finite(item.value->largest)},
                      {"relative", finite(item.value->relative)},
                      {"worst", item.value->worst}};
  }
  return json;
}

}  // namespace

std::string json_report(const Report& report) {
  Json lectures = Json::array();
  for (const LectureReport& lecture : report.lectures) {
    const Diff& diff = lecture.diff;
    Json json{{"lecture", diff.lecture}};
    if (lecture.rank) json["rank"] = *lecture.rank;
    if (!lecture.failure.empty()) json["failure"] = lecture.failure;
    json["steps"] = {{"old", diff.old_steps}, {"new", diff.new_steps}, {"compared", diff.compared}};
    json["notes"] = diff.notes;
    for (const std::string& file : diff.uncompared_files) json["notes"].push_back(file);
    json["items"] = Json::array();
    for (const Difference& item : diff.items) json["items"].push_back(item_json(lecture, item));
    lectures.push_back(std::move(json));
  }
  const char* const verdict = report.failed() ? "failed" : report.same() ? "same" : "differs";
  const Json document{{"format", "lectern-diff/1"}, {"verdict", verdict}, {"lectures", std::move(lectures)}};
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lectern
