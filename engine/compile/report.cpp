#include "compile/report.h"

#include "base/noun.h"
#include "base/readable_numbers.h"

namespace lectern::fusion {
void Report::add_eager(std::string_view operation, std::string_view why) {
  refused_ = operation;
  lines_.push_back("eager   " + std::string(operation) + ": " + std::string(why));
}

void Report::on_kernel(std::string_view operation) {
  const bool changes = operation.ends_with('_');
  if (operation.substr(0, operation.size() - (changes ? 1 : 0)) == refused_) return;
  lines_.push_back("eager   " + std::string(operation) + ": it has no fused form");
}

void Report::begin_pass(std::string_view why) {
  why_ = why;
}

void Report::add_pass(const Cone& cone, const PlannedPass& pass) {
  std::string operations;
  std::int64_t eager = 0;
  for (const int member : pass.members) {
    const Expression& expression = *cone.expressions[static_cast<std::size_t>(member)];
    operations.append(operations.empty() ? "" : " ").append(expression.operation.name());
    if (counted_.insert(expression.id).second) eager += expression.eager_bytes();
  }
  ++passes_;
  fused_bytes_ += pass.bytes;
  eager_bytes_ += eager;
  const std::int64_t rows = pass.program.rows;
  std::string line = "pass " + std::to_string(passes_) + "  " + operations + "\n        " +
                     counted(pass.members.size(), "operation", "operations") + " on " +
                     (rows > 1 ? std::to_string(rows) + " rows of " : "") +
                     with_noun(pass.program.columns, "element") + ", " +
                     counted(pass.outputs.size(), "result", "results") + ": " + std::to_string(pass.bytes) +
                     " bytes moved, eagerly " + std::to_string(eager);
  if (!why_.empty()) line += "\n        computed then because " + why_;
  lines_.push_back(std::move(line));
  why_.clear();
}

void Report::begin_section(std::string_view title) {
  lines_.emplace_back(title);
}

std::string Report::text() const {
  std::string text;
  for (const std::string& line : lines_) text.append(line).append("\n");
  return text + "all     " + std::to_string(fused_bytes_) + " bytes moved in " +
         counted(static_cast<std::size_t>(passes_), "pass", "passes") + ", eagerly " +
         std::to_string(eager_bytes_) + "\n";
}

}  // namespace lectern::fusion
