#include "trace/cost.h"

#include <algorithm>
#include <map>
#include <utility>

#include "trace/activations.h"

namespace lectern {
namespace {

class Accountant {
 public:
  explicit Accountant(const Trace& trace) : trace_(trace), activations_(activations(trace)) {
    account_.sites.resize(trace.sites.size());
    account_.line_totals.resize(trace.sites.size());
    account_.functions.resize(trace.functions.size());
    running_sites_.resize(trace.sites.size());
    running_functions_.resize(trace.functions.size());
    number_lines();
    running_lines_.resize(trace.sites.size());
  }

  CostAccount add_up() {
    account_.steps.reserve(trace_.steps.size());
    for (const Step& step : trace_.steps) add_self(step);
    add_up_calls();
    for (std::size_t i = 1; i < activations_.size(); ++i) add_total(i);
    account_.total = totals_.front();
    return std::move(account_);
  }

 private:
  /// An activation that is running, and the call that began it.
  struct Running {
    std::size_t end;  ///< past the activations within it
    int function, site;
  };

  void number_lines() {
    std::map<std::pair<int, int>, int> numbers;
    for (const Site& site : trace_.sites) {
      const std::pair place(trace_.functions[index(site.function)].source, site.span.line);
      lines_.push_back(numbers.try_emplace(place, static_cast<int>(numbers.size())).first->second);
    }
  }

  void add_self(const Step& step) {
    const bool tells = step.text.find("\"flops\"") != std::string::npos ||
                       step.text.find("\"bytes\"") != std::string::npos ||
                       step.text.find("\"memory\"") != std::string::npos ||
                       step.text.find("\"categories\"") != std::string::npos;
    const StepDetails details = tells ? step.details() : StepDetails();
    StepCost& cost = account_.steps.emplace_back(StepCost{{step.ns, details.flops, details.bytes}});
    add_memory(cost, details);
    CostEntry& site = account_.sites[index(step.site)];
    CostEntry& function = account_.functions[index(trace_.stacks[index(step.stack)].function)];
    if (!step.after) ++site.runs;
    site.self += cost.self;
    function.self += cost.self;
    raise(site.peak, cost.memory);
  }

  void add_memory(StepCost& cost, const StepDetails& details) {
    for (const auto& [device, memory] : details.memory)
      cost.memory.push_back({number_device(device), memory[0], memory[1]});
    for (const auto& [device, bytes] : details.categories)
      cost.categories.push_back({number_device(device), bytes});
  }

  int number_device(const std::string& device) {
    std::vector<std::string>& devices = account_.devices;
    const auto known = std::find(devices.begin(), devices.end(), device);
    const auto number = static_cast<int>(known - devices.begin());
    if (known == devices.end()) devices.push_back(device);
    return number;
  }

  static void raise(std::vector<std::int64_t>& peaks, const std::vector<DeviceMemory>& memory) {
    for (const DeviceMemory& entry : memory) {
      if (peaks.size() <= index(entry.device)) peaks.resize(index(entry.device) + 1);
      peaks[index(entry.device)] = std::max(peaks[index(entry.device)], entry.peak);
    }
  }

  static void raise(std::vector<std::int64_t>& peaks, const std::vector<std::int64_t>& others) {
    peaks.resize(std::max(peaks.size(), others.size()));
    for (std::size_t i = 0; i < others.size(); ++i) peaks[i] = std::max(peaks[i], others[i]);
  }

  /// Callers come before what they call, so that from the last activation to the first all calls are known.
  void add_up_calls() {
    totals_.resize(activations_.size());
    total_peaks_.resize(activations_.size());
    ends_.resize(activations_.size());
    call_sites_.resize(activations_.size(), -1);
    for (std::size_t i = activations_.size(); i-- > 0;) {
      ends_[i] = std::max(ends_[i], i + 1);
      for (const int step : activations_[i].steps) {
        totals_[i] += account_.steps[index(step)].self;
        raise(total_peaks_[i], account_.steps[index(step)].memory);
      }
      for (const Activation::Call& call : activations_[i].calls) {
        const std::size_t callee = index(call.activation);
        totals_[i] += totals_[callee];
        raise(total_peaks_[i], total_peaks_[callee]);
        ends_[i] = std::max(ends_[i], ends_[callee]);
        if (call.step >= 0) call_sites_[callee] = trace_.steps[index(call.step)].site;
      }
    }
  }

  /// What runs within itself is part of the outer one's total already.
  void add_total(std::size_t number) {
    while (!running_.empty() && running_.back().end <= number) {
      const Running& over = running_.back();
      --running_functions_[index(over.function)];
      if (over.site >= 0) {
        --running_sites_[index(over.site)];
        --running_on_line_of(over.site);
      }
      running_.pop_back();
    }
    const Activation& activation = activations_[number];
    const int site = call_sites_[number];
    CostEntry& function = account_.functions[index(activation.function)];
    ++function.runs;
    raise(function.peak, total_peaks_[number]);
    if (site >= 0) raise(account_.sites[index(site)].peak, total_peaks_[number]);
    if (running_functions_[index(activation.function)]++ == 0) function.total += totals_[number];
    if (site >= 0) {
      add_total_of(site, totals_[number]);
      ++running_sites_[index(site)];
      ++running_on_line_of(site);
    }
    running_.push_back({ends_[number], activation.function, site});
    for (const int step : activation.steps)
      add_total_of(trace_.steps[index(step)].site, account_.steps[index(step)].self);
  }

  void add_total_of(int site, const Cost& cost) {
    if (running_sites_[index(site)] == 0) account_.sites[index(site)].total += cost;
    if (running_on_line_of(site) == 0) account_.line_totals[index(site)] += cost;
  }

  int& running_on_line_of(int site) { return running_lines_[index(lines_[index(site)])]; }

  const Trace& trace_;
  std::vector<Activation> activations_;
  CostAccount account_;
  std::vector<Cost> totals_;  // by activation, with all calls
  std::vector<std::vector<std::int64_t>> total_peaks_;
  std::vector<std::size_t> ends_;                       // by activation: past the last one within it
  std::vector<int> call_sites_;                         // by activation; -1 where unknown
  std::vector<int> lines_;                              // by site the number of its line
  std::vector<Running> running_;                        // outermost first
  std::vector<int> running_sites_, running_functions_;  // how often each is in running_
  std::vector<int> running_lines_;                      // how many of its sites are
};

}  // namespace

double flops_per_second(const Cost& cost) {
  return cost.ns > 0 ? static_cast<double>(cost.flops) / static_cast<double>(cost.ns) * 1e9 : 0;
}

CostAccount cost_account(const Trace& trace) {
  return Accountant(trace).add_up();
}

}  // namespace lectern
