#include "lecture/calculators.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/files.h"
#include "calculator/registry.h"
#include "lecture/rendering.h"

namespace lectern {
namespace {

const calculation::Registered& find_registered(void (*function)()) {
  const auto& all = calculation::registry();
  const auto found = std::ranges::find(all, function, &calculation::Registered::function);
  if (found == all.end()) {
    refuse(
        "calculator: this function is not known; write LECTERN_CALCULATOR(function, parameters…) after its "
        "definition, in a header NAME_calculator.h");
  }
  return *found;
}

/// Puts the header's module among the lecture's files, if there is one; returns the name that it has there.
/// Modules lie below a folder as their headers do below the lecture's.
std::string add_module(const calculation::Registered& registered) {
  namespace fs = std::filesystem;
  std::error_code none;
  fs::path path = fs::weakly_canonical(fs::path(registered.file), none)
                      .lexically_relative(fs::weakly_canonical(record::lecture_folder(), none));
  path.replace_extension(rendering::Calculator::kModuleEnding);
  if (path.empty() || !inside_folder(path.generic_string())) {
    refuse("calculator: " + std::string(registered.file) +
           " is outside of the lecture's folder; put it there, as NAME_calculator.h");
  }
  const char* const folder = std::getenv("LECTERN_CALCULATORS");
  const fs::path module = folder == nullptr ? fs::path() : folder / path;
  if (fs::is_regular_file(module, none)) {
    write_file_if_changed(record::assets_folder() / path, read_file(module));
  } else {
    record::warn("calculator: no WebAssembly was made of " + std::string(registered.file) +
                 ", so that the page shows one result only; `lectern doctor` says what is missing");
  }
  return path.generic_string();
}

/// Fills in the input's kind; refuses what does not fit it.
void complete_input(CalculatorInput& input, std::string_view kind, const std::string& hook) {
  input.kind = kind;
  if (input.logarithmic && !(input.min > 0 && input.max > input.min))
    refuse(hook + "has a logarithmic " + input.name + ", which needs a min above 0 and a max above that");
  if (input.choices.empty()) return;
  if (kind != "text") refuse(hook + "takes no text for " + input.name + ", so that it has no choices");
  input.kind = "choice";
  if (input.value.empty()) input.value = input.choices.front();
  if (std::ranges::find(input.choices, input.value) == input.choices.end()) {
    refuse(hook + "cannot begin with " + input.name + " = " + input.value + ": that is none of its choices");
  }
}

/// Refuses inputs that are not those of the function's parameters.
void complete_inputs(std::vector<CalculatorInput>& inputs, const calculation::Registered& registered,
                     const std::string& hook) {
  const std::vector<std::string> names = calculation::split_names(registered.parameters);
  if (names.size() != registered.kinds.size())
    refuse(hook + "has other parameters than its LECTERN_CALCULATOR names; name each of them there");
  if (!std::ranges::equal(inputs, names, {}, &CalculatorInput::name))
    refuse(hook + "takes " + std::string(registered.parameters) + "; give an input for each, in this order");
  for (std::size_t i = 0; i < inputs.size(); ++i) complete_input(inputs[i], registered.kinds[i], hook);
}

/// Refuses a preset that sets an input which the function does not have.
void check_preset(const CalculatorPreset& preset, const std::vector<CalculatorInput>& inputs,
                  const std::string& hook) {
  const auto unknown = std::ranges::find_if(preset.values, [&](const auto& value) {
    return std::ranges::find(inputs, value.first, &CalculatorInput::name) == inputs.end();
  });
  if (unknown != preset.values.end())
    refuse(hook + "has no input " + unknown->first + ", which the preset " + preset.name + " sets");
}

}  // namespace

void show_calculator(std::string_view title, std::vector<CalculatorInput> inputs, void (*function)(),
                     CalculatorOptions options) {
  const calculation::Registered& registered = find_registered(function);
  const std::string hook = "calculator: " + std::string(registered.name) + " ";
  complete_inputs(inputs, registered, hook);
  for (const CalculatorPreset& preset : options.presets) check_preset(preset, inputs, hook);
  std::vector<std::string_view> texts;
  texts.reserve(inputs.size());
  for (const CalculatorInput& input : inputs) texts.emplace_back(input.value);
  const CalculatorResult result = registered.call(texts);
  for (const auto& problem : result.problems) refuse(hook + "refuses " + problem.input + ": " + problem.text);
  if (!record::recording()) {
    print_plain("[calculator: " + std::string(title) + "]");
    for (const auto& quantity : result.quantities) print_plain("  " + quantity.label + ": " + quantity.text);
    return;
  }
  add_rendering(rendering::Calculator{.title = std::string(title),
                                      .module = add_module(registered),
                                      .function = std::string(registered.name),
                                      .inputs = std::move(inputs),
                                      .presets = std::move(options.presets),
                                      .result = result,
                                      .caption = std::move(options.caption)});
}

}  // namespace lectern
