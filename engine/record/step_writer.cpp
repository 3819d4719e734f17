#include "record/step_writer.h"

#include <algorithm>
#include <array>
#include <span>

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

bool StepWriter::start(RunBlock& block, capture::Listeners listeners) {
  clock_.start();
  if (!file_.open(block)) return false;
  capture::start(block.terminal, block.diagnostics, pending_, listeners);
  return true;
}

char* StepWriter::reserve() {
  if (held_ == nullptr) return file_.reserve();
  const std::size_t size = held_->text.size();
  held_->text.resize(size + MappedFile::kReserve);
  return held_->text.data() + size;
}

void StepWriter::advance(char* end) {
  if (held_ == nullptr) return file_.advance(end);
  held_->text.resize(static_cast<std::size_t>(end - held_->text.data()));
}

void StepWriter::write(std::string_view text) {
  if (held_ == nullptr) {
    file_.append(text);
  } else {
    held_->text += text;
  }
}

void StepWriter::write(const HeldSteps& held) {
  write(held.text);
  steps() += held.steps;
  if (held_ == nullptr) commit();
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
  write_values("args", details_.args);
  write_values("vars", details_.vars);
  write_list("clear", details_.clear);
  write_list("claims", details_.claims);
  write_list("ran", details_.ran, also_ran);
  write_list("collectives", details_.collectives);
}

void StepWriter::write_tensor_cost() {
  char* at = reserve();
  if (spent_.flops != 0) at = put(put(at, ",\"flops\":"), static_cast<std::int64_t>(spent_.flops));
  if (spent_.bytes != 0) at = put(put(at, ",\"bytes\":"), static_cast<std::int64_t>(spent_.bytes));
  advance(at);
  bool first = true;
  const auto put_device = [&](std::string_view field, std::string_view device,
                              std::span<const std::int64_t> amounts) {
    at = reserve();
    at = std::exchange(first, false) ? put(put(put(at, ",\""), field), "\":{\"") : put(at, ",\"");
    at = put(put(at, device), "\":");
    for (std::size_t i = 0; i < amounts.size(); ++i) at = put(put(at, i == 0 ? "[" : ","), amounts[i]);
    advance(put(at, "]"));
  };
  // Of steps that are held back, those before may not be written.
  const bool all = held_ != nullptr;
  memory_.report(all, [&](std::string_view device, std::int64_t bytes, std::int64_t peak) {
    put_device("memory", device, std::array{bytes, peak});
  });
  if (!std::exchange(first, true)) write("}");
  memory_.report_categories(all, [&](std::string_view device, const CategoryBytes& bytes) {
    put_device("categories", device, bytes);
  });
  if (!first) write("}");
}

void StepWriter::suspend() {
  memory_.take();
  suspended_ = now();
}

void StepWriter::resume() {
  memory_.skip();
  excluded_ = excluded_ + (now() - suspended_);
}

void StepWriter::begin_field(std::string_view name) {
  write(",\"");
  write(name);
  write("\":");
}

void StepWriter::write_output(std::string_view name, std::string_view cut_name, const capture::Text& text) {
  if (text.empty()) return;
  begin_field(name);
  write_json_text([this](std::string_view piece) { write(piece); }, text.bytes);
  if (text.cut == 0) return;
  begin_field(cut_name);
  advance(put(reserve(), static_cast<std::int64_t>(text.cut)));
}

void StepWriter::write_list(std::string_view name, std::string_view items, std::string_view more) {
  if (items.empty() && more.empty()) return;
  begin_field(name);
  write("[");
  write(items);
  if (!items.empty() && !more.empty()) write(",");
  write(more);
  write("]");
}

void StepWriter::write_values(std::string_view name,
                              const std::vector<std::pair<std::string, std::string>>& values) {
  if (values.empty()) return;
  begin_field(name);
  std::string_view separator = "{";
  for (const auto& [variable, value] : values) {
    write(std::exchange(separator, ","));
    write_json_string([this](std::string_view text) { write(text); }, variable);
    write(":");
    write(value);
  }
  write("}");
}

std::pair<PendingDetails, record::Spent> StepWriter::retract(const record::Spent& now) {
  if (!frozen_) freeze(now);
  PendingDetails details;
  if (has_details()) {
    take_output(true);
    details = std::exchange(details_, {});
  }
  --steps();
  if (held_ == nullptr) {
    file_.rewind(line_, steps_);
  } else {
    held_->text.resize(line_);
  }
  open_ = false;
  return {std::move(details), spent_};
}

void StepWriter::restore(PendingDetails details, const record::Spent& spent) {
  excluded_ = excluded_ - spent;
  capture::put_back(capture::out, std::exchange(details.out, {}));
  capture::put_back(capture::err, std::exchange(details.err, {}));
  details_ = std::move(details);
  changed();
}

void StepWriter::finish(std::string_view also_ran) {
  if (!open_) return commit();
  if (!frozen_) freeze(now());
  take_output(true);
  write_fields(&details_.out, &details_.err, also_ran);
  details_ = {};
  write_tensor_cost();
  advance(put_time(reserve()));
  file_.commit(steps_);
}

void StepWriter::finish_in_signal_handler(std::string_view also_ran) {
  if (!open_) return commit();
  if (!frozen_) freeze(now());
  const bool printed = has_details();
  write_fields(printed ? capture::peek(capture::out) : nullptr,
               printed ? capture::peek(capture::err) : nullptr, also_ran);
  write_tensor_cost();
  advance(put_time(reserve()));
  file_.commit(steps_);
}

}  // namespace lectern
