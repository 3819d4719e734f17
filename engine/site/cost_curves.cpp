#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string_view>

#include <fmt/format.h>

#include "base/html.h"
#include "base/readable_numbers.h"
#include "site/cost_parts.h"
#include "trace/cost_text.h"

namespace lectern {
namespace {

/// A part is a few pixels of a large window; of its steps the one that costs most is drawn.
constexpr std::size_t kMostParts = 400;
constexpr int kHeight = 100;

/// Of a run's steps, by part.
class Curve {
 public:
  explicit Curve(std::size_t steps) : steps_(steps), most_(std::min(steps, kMostParts), 0.0) {}

  void add(std::size_t step, double amount) {
    double& most = most_[step * most_.size() / steps_];
    most = std::max(most, amount);
    if (amount <= highest_) return;
    highest_ = amount;
    highest_step_ = step;
  }
  double highest() const { return highest_; }
  std::size_t highest_step() const { return highest_step_; }
  std::size_t parts() const { return most_.size(); }

  /// Steps of the line from the left to the right, `top` being as high as the drawing.
  std::string path(double top) const {
    const auto y = [&](double amount) {
      const double share = top > 0 ? std::sqrt(std::clamp(amount / top, 0.0, 1.0)) : 0;
      return kHeight - static_cast<int>(std::lround(share * kHeight));
    };
    std::string path;
    int at = -1;
    for (std::size_t i = 0; i < most_.size(); ++i) {
      const int next = y(most_[i]);
      if (next != at && i > 0) path += fmt::format("H{}", i);
      if (next != at) path += fmt::format("{}{}", i == 0 ? "M0 " : "V", next);
      at = next;
    }
    return path + fmt::format("H{}", most_.size());
  }
  std::string area(double top) const { return path(top) + fmt::format("V{}H0z", kHeight); }

 private:
  std::size_t steps_;
  std::vector<double> most_;
  double highest_ = 0;
  std::size_t highest_step_ = 0;
};

std::string figure(std::string_view kind, std::size_t parts, const std::string& told,
                   const std::string& paths, const std::string& caption) {
  return fmt::format(
      "<figure class=\"cost-curve\" data-kind=\"{}\"><svg viewBox=\"0 0 {} {}\" "
      "preserveAspectRatio=\"none\" role=\"img\" "
      "aria-label=\"{}\">{}</svg><figcaption>{}</figcaption></figure>\n",
      kind, parts, kHeight, escape_html(told), paths, escape_html(caption));
}

std::string path(const std::string& classes, const std::string& drawing) {
  return "<path class=\"" + classes + "\" d=\"" + drawing + "\"/>";
}

/// Now and at its peak, by device.
std::string memory_figure(const CostAccount& account) {
  const std::size_t devices = std::min(account.devices.size(), kMostCostDevices),
                    steps = account.steps.size();
  if (devices == 0) return {};
  std::vector<Curve> now(devices, Curve(steps)), peak(devices, Curve(steps));
  std::vector<double> held(devices, 0.0);
  for (std::size_t i = 0; i < steps; ++i) {
    std::vector<double> highest = held;
    for (const DeviceMemory& memory : account.steps[i].memory) {
      if (static_cast<std::size_t>(memory.device) >= devices) continue;
      const auto device = static_cast<std::size_t>(memory.device);
      highest[device] = static_cast<double>(memory.peak);
      held[device] = static_cast<double>(memory.now);
    }
    for (std::size_t device = 0; device < devices; ++device) {
      now[device].add(i, held[device]);
      peak[device].add(i, std::max(held[device], highest[device]));
    }
  }
  double top = 0;
  for (const Curve& curve : peak) top = std::max(top, curve.highest());
  std::string told, paths;
  for (std::size_t device = 0; device < devices; ++device) {
    const std::string color = fmt::format(" d{}", device + 1);
    paths += path("peak" + color, peak[device].area(top)) + path("held" + color, now[device].path(top));
    told += fmt::format("{}Memory on {}: at most {}, at step {}; {} at the end", device == 0 ? "" : ". ",
                        account.devices[device], show_quantity(peak[device].highest(), "B"),
                        with_separators(peak[device].highest_step() + 1), show_quantity(held[device], "B"));
  }
  return figure("memory", now.front().parts(), told, paths,
                told + ". Line: now; area: its peak within steps.");
}

using AllCategories = std::array<double, kTracedCategories.size()>;

/// The memory of a device after its steps: of each part of the run the step with most.
std::vector<AllCategories> fullest_steps(const CostAccount& account, int device) {
  const std::size_t steps = account.steps.size();
  std::vector<AllCategories> parts(std::min(steps, kMostParts));
  std::vector<double> most(parts.size(), -1);
  AllCategories now{};
  double total = 0;
  for (std::size_t i = 0; i < steps; ++i) {
    for (const DeviceMemory& memory : account.steps[i].memory) {
      if (memory.device == device) total = static_cast<double>(memory.now);
    }
    for (const DeviceCategories& categories : account.steps[i].categories) {
      if (categories.device != device) continue;
      std::copy(categories.bytes.begin(), categories.bytes.end(), now.begin());
    }
    now.back() = std::max(0.0, total - std::accumulate(now.begin(), now.end() - 1, 0.0));
    const std::size_t part = i * parts.size() / steps;
    if (total > most[part]) {
      most[part] = total;
      parts[part] = now;
    }
  }
  return parts;
}

/// An area between what is below it and itself, from the left to the right and back.
std::string band(const std::vector<double>& below, const std::vector<double>& above, double top) {
  const auto y = [top](double amount) {
    return kHeight - static_cast<int>(std::lround(amount / top * kHeight));
  };
  std::string drawing = fmt::format("M0 {}", y(above.front()));
  for (std::size_t i = 0; i < above.size(); ++i) drawing += fmt::format("V{}H{}", y(above[i]), i + 1);
  for (std::size_t i = below.size(); i-- > 0;) drawing += fmt::format("V{}H{}", y(below[i]), i);
  return drawing + "z";
}

/// What the memory of a device serves, stacked, if anything but temporary tensors.
std::string categories_figure(const CostAccount& account, int device) {
  const std::vector<AllCategories> parts = fullest_steps(account, device);
  AllCategories most{};
  double top = 0;
  for (const AllCategories& part : parts) {
    for (std::size_t k = 0; k < part.size(); ++k) most[k] = std::max(most[k], part[k]);
    top = std::max(top, std::accumulate(part.begin(), part.end(), 0.0));
  }
  if (std::accumulate(most.begin(), most.end() - 1, 0.0) <= 0) return {};
  std::string paths, keys, told = "What memory on " + account.devices[index(device)] + " serves, at most:";
  std::vector<double> below(parts.size(), 0);
  for (std::size_t k = 0; k < kTracedCategories.size(); ++k) {
    std::vector<double> above = below;
    for (std::size_t i = 0; i < parts.size(); ++i) above[i] += parts[i][k];
    paths += path(fmt::format("band m{}", k + 1), band(below, above, top));
    below = std::move(above);
    const std::string amount = show_quantity(most[k], "B");
    keys +=
        fmt::format("<span class=\"key m{}\">{} {}</span>", k + 1, kTracedCategories[k], escape_html(amount));
    told += fmt::format("{} {} {}", k == 0 ? "" : ",", kTracedCategories[k], amount);
  }
  return fmt::format(
      "<figure class=\"cost-curve\" data-kind=\"categories\"><svg viewBox=\"0 0 {} {}\" "
      "preserveAspectRatio=\"none\" "
      "role=\"img\" aria-label=\"{}\">{}</svg><figcaption>What memory on {} serves after each step, at most: "
      "{}"
      "</figcaption></figure>\n",
      parts.size(), kHeight, escape_html(told), paths, escape_html(account.devices[index(device)]), keys);
}

std::string categories_figures(const CostAccount& account) {
  std::string figures;
  const auto devices = static_cast<int>(std::min(account.devices.size(), kMostCostDevices));
  for (int device = 0; device < devices; ++device) figures += categories_figure(account, device);
  return figures;
}

std::string cost_figure(const CostAccount& account, bool time) {
  if (time ? account.total.ns <= 0 : account.total.flops == 0) return {};
  Curve curve(account.steps.size());
  for (std::size_t i = 0; i < account.steps.size(); ++i) {
    const Cost& cost = account.steps[i].self;
    curve.add(i, time ? static_cast<double>(cost.ns) : static_cast<double>(cost.flops));
  }
  const std::string most = time ? show_duration(static_cast<std::int64_t>(curve.highest()))
                                : show_quantity(curve.highest(), "FLOP");
  const std::string told = fmt::format("{} of each step: at most {}, at step {}", time ? "Time" : "FLOPs",
                                       most, with_separators(curve.highest_step() + 1));
  return figure(time ? "time" : "flops", curve.parts(), told, path("spent", curve.area(curve.highest())),
                told + ".");
}

}  // namespace

std::string cost_curves(const CostAccount& account) {
  return "<h2>Over the run</h2>\n<p class=\"about\">From the first step to the last. Heights are square "
         "roots, so that small amounts are seen as well; only what memory serves is drawn to scale, since it "
         "adds up.</p>\n<div class=\"cost-curves\">\n" +
         memory_figure(account) + categories_figures(account) + cost_figure(account, true) +
         cost_figure(account, false) + "</div>\n";
}

}  // namespace lectern
