#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace lectern {

/// Checks specifications of plots against Vega-Lite's own schema, and their fields against their data.
class PlotCheck {
 public:
  /// The schema is read from this folder when the first plot is checked.
  explicit PlotCheck(std::filesystem::path templates);
  PlotCheck(PlotCheck&&) noexcept;
  PlotCheck& operator=(PlotCheck&&) noexcept;
  PlotCheck(const PlotCheck&) = delete;
  PlotCheck& operator=(const PlotCheck&) = delete;
  ~PlotCheck();

  /// What is wrong with a specification: "PLACE IN IT: what is wrong; what to do". Throws Error when the
  /// schema cannot be read.
  std::vector<std::string> problems(const std::string& text);

 private:
  struct Schema;

  std::filesystem::path templates_;
  std::unique_ptr<Schema> schema_;
};

}  // namespace lectern
