#include "site/missing_files.h"

#include <variant>

#include "edtrace/import.h"
#include "site/warning.h"

namespace lectern {

std::string missing_file(const Trace& trace, std::string_view kind, const std::string& name) {
  return "the " + std::string(kind) + " " + name + " is not among the lecture's files; " +
         (came_from_edtrace(trace) ? "put one that browsers show beside the trace" : "run the lecture again");
}

std::vector<std::string> missing_files(const Trace& trace,
                                       const std::map<std::string, std::filesystem::path>& files) {
  std::vector<std::string> messages;
  for (const Step& step : trace.steps) {
    const auto check = [&](std::string_view kind, const std::string& name) {
      if (!name.empty() && !files.contains(name))
        add_once(messages, message_at(trace, step.site, missing_file(trace, kind, name)));
    };
    const auto check_form = [&]<typename Form>(const Form& form) {
      if constexpr (requires { Form::kEndings; }) check(Form::kKind, form.src);
      if constexpr (requires { form.starter; }) check(kStarterFile, form.starter);
    };
    const StepDetails details = step.details();
    for (const Rendering& rendering : details.show) std::visit(check_form, rendering.form);
  }
  return messages;
}

}  // namespace lectern
