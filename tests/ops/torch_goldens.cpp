#include "ops/torch_goldens.h"

#include <filesystem>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"
#include "base/fnv.h"
#include "tensor/creation.h"

namespace lectern::test {
namespace {

using nlohmann::json;

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string base64(std::string_view bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned group = 0;
    for (std::size_t j = 0; j < 3; ++j)
      group = group << 8U | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    for (std::size_t j = 0; j < 4; ++j)
      text += i + j > bytes.size() ? '=' : kDigits[group >> (18 - 6 * j) & 63U];
  }
  return text;
}

std::string from_base64(std::string_view text) {
  std::string bytes;
  unsigned group = 0, bits = 0;
  for (const char digit : text) {
    const std::size_t value = kDigits.find(digit);
    if (value == std::string_view::npos) break;  // '=', the end
    group = group << 6U | static_cast<unsigned>(value);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(group >> bits & 255U);
  }
  return bytes;
}

std::string hash_of_inputs(const Trial& trial) {
  std::string bytes;
  for (const Laid& input : trial.inputs()) {
    const Tensor numbers = input.tensor.cpu().contiguous();
    bytes.append(static_cast<const char*>(numbers.data_ptr()), static_cast<std::size_t>(numbers.nbytes()));
  }
  return std::to_string(fnv1a_64(bytes) >> 32U);
}

/// Each so-many-th element.
std::string thinned(const TorchValue& value) {
  const auto size = static_cast<std::size_t>(element_size(value.dtype));
  const auto step =
      static_cast<std::size_t>(golden_step(static_cast<std::int64_t>(value.bytes.size() / size)));
  std::string kept;
  for (std::size_t at = 0; at < value.bytes.size(); at += step * size) kept += value.bytes.substr(at, size);
  return kept;
}

json to_json(const TorchOutcome& outcome) {
  if (outcome.error) return true;
  json list = json::array();
  for (const auto& value : outcome.values) {
    list.push_back(value ? json{name(value->dtype), value->sizes, base64(thinned(*value))} : json());
  }
  return list;
}

TorchOutcome from_json(const json& list) {
  if (list.is_boolean()) return {{}, "an error"};
  TorchOutcome outcome;
  for (const json& value : list) {
    if (value.is_null()) {
      outcome.values.emplace_back();
      continue;
    }
    outcome.values.emplace_back(TorchValue{dtype_from_name(value.at(0).get<std::string>()).value(),
                                           value.at(1).get<std::vector<std::int64_t>>(),
                                           from_base64(value.at(2).get<std::string>())});
  }
  return outcome;
}

}  // namespace

TorchGoldens::TorchGoldens(const std::string& test)
    : path_(LECTERN_SOURCE_DIR "/tests/" LECTERN_TEST_ROOM "/goldens/torch/" + test + ".json") {}

void TorchGoldens::read() {
  if (!std::filesystem::exists(path_)) return;
  const json rows = json::parse(read_file(path_), nullptr, false);
  if (rows.is_discarded()) throw Error(path_ + ": not JSON; write it anew with LECTERN_TORCH=write");
  for (const auto& [title, dtypes] : rows.items()) {
    for (const auto& [dtype, golden] : dtypes.items()) lines_[title][dtype] = golden.dump();
  }
}

std::optional<TorchAnswer> TorchGoldens::find(const Trial& trial) const {
  const auto row = lines_.find(title(*trial.row));
  if (row == lines_.end()) return {};
  const auto found = row->second.find(std::string(name(trial.dtype)));
  if (found == row->second.end()) return {};
  const json golden = json::parse(found->second);
  if (golden.at("inputs") != hash_of_inputs(trial)) {
    throw Error(path_ + ": the golden of " + trial.title() +
                " was made of other inputs; write it anew with LECTERN_TORCH=write");
  }
  TorchAnswer answer{from_json(golden.at("values")), {}};
  if (golden.contains("gradients")) answer.gradients = from_json(golden["gradients"]);
  return answer;
}

void TorchGoldens::add(const Trial& trial, const TorchAnswer& answer) {
  json golden = {{"inputs", hash_of_inputs(trial)}, {"values", to_json(answer.values)}};
  if (answer.gradients) golden["gradients"] = to_json(*answer.gradients);
  lines_[title(*trial.row)][std::string(name(trial.dtype))] = golden.dump();
}

std::size_t TorchGoldens::size() const {
  std::size_t size = 0;
  for (const auto& row : lines_) size += row.second.size();
  return size;
}

void TorchGoldens::write() const {
  std::string text;
  for (const auto& [title, dtypes] : lines_) {
    text += (text.empty() ? "{\n" : ",\n") + json(title).dump() + ": {";
    std::string comma;
    for (const auto& [dtype, golden] : dtypes) {
      text.append(comma).append(json(dtype).dump()).append(": ").append(golden);
      comma = ", ";
    }
    text += "}";
  }
  write_file(path_, text + "\n}\n");
}

}  // namespace lectern::test
