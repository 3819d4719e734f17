#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace lectern {

/// A specification of a plot: its members are found by name.
using SpecJson = nlohmann::json;

/// Places in a JSON document, for its author: encoding.x.type, layer[0].mark, datasets["of mine"].
std::string member_path(const std::string& object, std::string_view name);
std::string item_path(const std::string& array, std::size_t number);

/// A value in a message: as JSON, short and on one line.
std::string as_json(const SpecJson& value);

/// What JSON Schema calls it.
std::string json_type(const SpecJson& value);

}  // namespace lectern
