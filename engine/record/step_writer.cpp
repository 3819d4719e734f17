#include "record/step_writer.h"

#include <algorithm>

#include "record/json_sink.h"

namespace lectern {

std::string on_one_line(std::string_view json) {
  std::string line(json);
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

void add_item(std::string& list, std::string_view json) {
  if (!list.empty()) list += ',';
  list += on_one_line(json);
}

bool StepWriter::start(RunBlock& block, void (*on_full)()) {
  clock_.start();
  if (!file_.open(block)) return false;
  capture::start(block.terminal, block.diagnostics, pending_, on_full);
  return true;
}

void StepWriter::take_output(bool all) {
  // Cleared first: what another thread prints meanwhile sets it again.
  pending_.store(false, std::memory_order_relaxed);
  details_.out = capture::take(capture::out, all);
  details_.err = capture::take(capture::err, all);
}

void StepWriter::write_details() {
  take_output(false);
  write_fields(&details_.out, &details_.err);
  details_ = {};
}

void StepWriter::write_fields(const capture::Text* out, const capture::Text* err, std::string_view also_ran) {
  if (out != nullptr) write_output("out", "out_cut", *out);
  if (err != nullptr) write_output("err", "err_cut", *err);
  write_list("show", details_.show);
  if (!details_.vars.empty()) {
    begin_field("vars");
    std::string_view separator = "{";
    for (const auto& [name, value] : details_.vars) {
      file_.append(std::exchange(separator, ","));
      write_json_string([this](std::string_view text) { file_.append(text); }, name);
      file_.append(":");
      file_.append(value);
    }
    file_.append("}");
  }
  write_list("clear", details_.clear);
  write_list("claims", details_.claims);
  write_list("ran", details_.ran, also_ran);
}

void StepWriter::begin_field(std::string_view name) {
  file_.append(",\"");
  file_.append(name);
  file_.append("\":");
}

void StepWriter::write_output(std::string_view name, std::string_view cut_name, const capture::Text& text) {
  if (text.empty()) return;
  begin_field(name);
  write_json_text([this](std::string_view piece) { file_.append(piece); }, text.bytes);
  if (text.cut == 0) return;
  begin_field(cut_name);
  file_.advance(put(file_.reserve(), static_cast<std::int64_t>(text.cut)));
}

void StepWriter::write_list(std::string_view name, std::string_view items, std::string_view more) {
  if (items.empty() && more.empty()) return;
  begin_field(name);
  file_.append("[");
  file_.append(items);
  if (!items.empty() && !more.empty()) file_.append(",");
  file_.append(more);
  file_.append("]");
}

std::pair<PendingDetails, Clock::Ticks> StepWriter::retract(Clock::Ticks now) {
  if (!frozen_) freeze(now);
  PendingDetails details;
  if (has_details()) {
    take_output(true);
    details = std::exchange(details_, {});
  }
  --steps_;
  file_.rewind(line_, steps_);
  open_ = false;
  return {std::move(details), spent_};
}

void StepWriter::restore(PendingDetails details, Clock::Ticks spent) {
  excluded_ -= spent;
  capture::put_back(capture::out, std::exchange(details.out, {}));
  capture::put_back(capture::err, std::exchange(details.err, {}));
  details_ = std::move(details);
  changed();
}

void StepWriter::finish(std::string_view also_ran) {
  if (!open_) return;
  if (!frozen_) freeze(clock_.now());
  take_output(true);
  write_fields(&details_.out, &details_.err, also_ran);
  details_ = {};
  file_.advance(put_time(file_.reserve()));
  file_.commit(steps_);
}

void StepWriter::finish_in_signal_handler(std::string_view also_ran) {
  if (!open_) return;
  if (!frozen_) freeze(clock_.now());
  const bool printed = has_details();
  write_fields(printed ? capture::peek(capture::out) : nullptr,
               printed ? capture::peek(capture::err) : nullptr, also_ran);
  file_.advance(put_time(file_.reserve()));
  file_.commit(steps_);
}

}  // namespace lectern
