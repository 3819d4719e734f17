#include <algorithm>

#include <fmt/format.h>

#include "base/html.h"
#include "base/readable_numbers.h"
#include "site/cost_parts.h"
#include "trace/call_tree.h"
#include "trace/cost_text.h"

namespace lectern {
namespace {

constexpr int kDeepestBar = 40;
constexpr std::size_t kMostFrames = 300;
constexpr double kLeastShare = 0.0025;  // of the run's time or FLOPs; less is no pixel wide

double share(double part, double whole) {
  return whole > 0 ? std::clamp(part / whole, 0.0, 1.0) : 0;
}

class FlameWriter {
 public:
  FlameWriter(const Trace& trace, const CostAccount& account)
      : trace_(trace),
        paths_(call_tree(trace, account, kDeepestBar)),
        called_(paths_.size()),
        hidden_(hidden_functions(trace)) {
    choose();
  }

  std::string run() {
    const Cost& all = paths_.front().total;
    if (called_.front().empty()) return {};
    std::string out = "<h2>By call</h2>\n";
    if (all.ns > 0 && all.flops > 0) {
      out +=
          "<fieldset class=\"flame-by\"><legend>Width by</legend><label><input type=\"radio\" "
          "name=\"flame-by\" "
          "value=\"time\" checked> time</label> <label><input type=\"radio\" name=\"flame-by\" "
          "value=\"flops\"> FLOPs</label></fieldset>\n";
    }
    out_ = std::move(out);
    out_ += fmt::format("<div class=\"flame{}\">\n", all.ns > 0 ? "" : " by-flops");
    add_calls(0);
    out_ +=
        "</div>\n<p class=\"about\">Each frame is a function, under the one that called it; what is left "
        "free "
        "below it is its own. ";
    if (left_out_ > 0) out_ += counted(left_out_, "frame is", "frames are") + " too narrow to be shown. ";
    return std::move(out_) + "</p>\n";
  }

 private:
  double weight(const CallPath& path) const {
    const Cost& all = paths_.front().total;
    return std::max(share(static_cast<double>(path.total.ns), static_cast<double>(all.ns)),
                    share(static_cast<double>(path.total.flops), static_cast<double>(all.flops)));
  }

  /// The widest frames; none is wider than what called it, which comes first among equals.
  void choose() {
    std::vector<std::size_t> order;
    for (std::size_t i = 1; i < paths_.size(); ++i) {
      if (weight(paths_[i]) >= kLeastShare) order.push_back(i);
    }
    std::ranges::stable_sort(
        order, [&](std::size_t a, std::size_t b) { return weight(paths_[a]) > weight(paths_[b]); });
    order.resize(std::min(order.size(), kMostFrames));
    std::ranges::sort(order);
    for (const std::size_t i : order) called_[index(paths_[i].caller)].push_back(i);
    left_out_ = paths_.size() - 1 - order.size();
  }

  void add_calls(std::size_t caller) {  // as deep as kDeepestBar
    if (called_[caller].empty()) return;
    out_ += "<ol>";
    for (const std::size_t path : called_[caller]) add_frame(paths_[path], paths_[caller].total, path);
    out_ += "</ol>\n";
  }

  void add_frame(const CallPath& path, const Cost& caller, std::size_t number) {
    const TracedFunction& function = trace_.functions[index(path.function)];
    const Cost& cost = path.total;
    const double time = share(static_cast<double>(cost.ns), static_cast<double>(caller.ns));
    const double flops = share(static_cast<double>(cost.flops), static_cast<double>(caller.flops));
    out_ += fmt::format("<li{} style=\"--t:{:.2f};--f:{:.2f}\">",
                        cost.flops == 0 ? " class=\"no-flops\"" : "", 100 * time, 100 * flops);
    std::string told = show_cost(cost);
    told += (told.empty() ? "" : ", ") + counted(static_cast<std::uint64_t>(path.calls), "call", "calls");
    out_ += line_link(function.source, function.span.line, hidden_[index(path.function)],
                      "<b>" + escape_html(function.name) + "</b> <span>" + told + "</span>",
                      " class=\"frame\" title=\"" + escape_html(function.name) + ": " + told + "\"");
    add_calls(number);
    out_ += "</li>";
  }

  const Trace& trace_;
  std::vector<CallPath> paths_;
  std::vector<std::vector<std::size_t>> called_;  // by path: those of its calls that are shown
  std::vector<bool> hidden_;                      // by function
  std::size_t left_out_ = 0;
  std::string out_;
};

}  // namespace

std::string cost_flame(const Trace& trace, const CostAccount& account) {
  return FlameWriter(trace, account).run();
}

}  // namespace lectern
