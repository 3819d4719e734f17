#include "site/calculator.h"

#include <algorithm>

#include <fmt/format.h>
#include <openssl/evp.h>

#include "base/base64.h"
#include "base/error.h"
#include "base/html.h"
#include "site/calculator_result.h"
#include "trace/encode.h"

namespace lectern {
namespace {

using Input = trace_model::calculators::Input;

constexpr int kTallestField = 40;

std::string attribute(const char* name, const std::string& value) {
  return std::string(" ") + name + "=\"" + escape_html(value) + "\"";
}

/// The control of an input, with these attributes.
std::string control(const Input& input, const std::string& attributes) {
  if (input.kind == "switch")
    return "<input type=\"checkbox\"" + attributes + (input.value == "true" ? " checked>" : ">");
  if (input.kind == "choice") {
    std::string html = "<select" + attributes + ">";
    for (const std::string& choice : input.choices)
      html += std::string("<option") + (choice == input.value ? " selected>" : ">") + escape_html(choice) +
              "</option>";
    return html + "</select>";
  }
  if (input.kind == "text" && input.lines > 1) {
    return fmt::format("<textarea rows=\"{}\" dir=\"auto\"{}>\n", std::min(input.lines, kTallestField),
                       attributes) +
           escape_html(input.value) + "</textarea>";
  }
  return std::string("<input type=\"text\" autocomplete=\"off\"") +
         (input.kind == "text" ? " dir=\"auto\"" : " inputmode=\"decimal\"") + attributes +
         attribute("value", input.value) + ">";
}

std::string field(const Input& input, const std::string& id) {
  const std::string attributes = attribute("id", id) + attribute("name", input.name) +
                                 attribute("aria-describedby", id + "-problem") + " spellcheck=\"false\"";
  if (input.hidden)
    return "<input type=\"hidden\"" + attribute("name", input.name) + attribute("value", input.value) + ">";
  const std::string label = input.label.empty() ? input.name : input.label;
  std::string html = std::string("<div class=\"field") + (input.lines > 1 ? " wide" : "") +
                     "\"><label for=\"" + escape_html(id) + "\">" + escape_html(label);
  if (!input.unit.empty()) html += " <span class=\"unit\">" + escape_html(input.unit) + "</span>";
  html += "</label>" + control(input, attributes);
  const bool number = input.kind == "number" || input.kind == "integer";
  if (number && input.max > input.min) {
    html += fmt::format(
        "<input type=\"range\" min=\"0\" max=\"1000\" aria-label=\"{}\" data-min=\"{}\" data-max=\"{}\"{}>",
        escape_html(label), input.min, input.max, input.logarithmic ? " data-log" : "");
  }
  return html + "<p class=\"problem\" id=\"" + escape_html(id) + "-problem\" hidden></p></div>";
}

}  // namespace

std::string calculator_html(const trace_model::rendering::Calculator& calculator, const std::string& id) {
  std::string html = "<div class=\"calculator\" role=\"group\"" + attribute("aria-label", calculator.title) +
                     attribute("data-function", calculator.function);
  if (!calculator.module.empty()) html += attribute("data-module", calculator.module);
  html += "><p class=\"box-title\">" + escape_html(calculator.title) + "</p><fieldset disabled>";
  for (std::size_t i = 0; i < calculator.inputs.size(); ++i)
    html += field(calculator.inputs[i], id + "-" + std::to_string(i));
  if (!calculator.presets.empty() && !calculator.module.empty()) {
    html += "<div class=\"presets\" role=\"group\" aria-label=\"Examples\">";
    for (const auto& preset : calculator.presets)
      html += "<button type=\"button\"" + attribute("data-values", to_json(preset.values)) + ">" +
              escape_html(preset.name) + "</button>";
    html += "</div>";
  }
  return html + "</fieldset><div class=\"result\" aria-live=\"polite\">" +
         calculator_result_html(calculator.result) + "</div></div>";
}

std::string module_script(const std::string& name, const std::string& bytes) {
  return "lecternModule(" + to_json(name) + ",\"" + base64(bytes) + "\");\n";
}

std::string module_bytes(const std::string& script) {
  const std::size_t begin = script.rfind(",\"") + 2, end = script.rfind('"');
  const std::string digits = script.substr(begin, end - begin);
  std::string bytes(digits.size(), '\0');
  const int size =
      EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                      reinterpret_cast<const unsigned char*>(digits.data()), static_cast<int>(digits.size()));
  if (size < 0) throw Error("the script of a calculator's module is damaged; render its page again");
  bytes.resize(static_cast<std::size_t>(size) -
               static_cast<std::size_t>(std::count(digits.begin(), digits.end(), '=')));
  return bytes;
}

}  // namespace lectern
