#include "cli/reload.h"

#include <chrono>

namespace lectern::cli {

const char* reload_script() {
  return R"((() => {
  "use strict";
  const events = new EventSource("/lectern-events");
  events.addEventListener("rebuilt", () => location.reload());
})();
)";
}

std::string add_reload_script(std::string html) {
  if (const auto policy = html.find("default-src"); policy != std::string::npos) {
    html.insert(policy, "connect-src 'self'; ");
  }
  if (const auto end = html.find("</head>"); end != std::string::npos) {
    html.insert(end, std::string("<script defer src=\"") + kReloadPath + "\"></script>\n");
  }
  return html;
}

int Rebuilds::count() const {
  const std::lock_guard lock(mutex_);
  return count_;
}

void Rebuilds::add() {
  const std::lock_guard lock(mutex_);
  ++count_;
  changed_.notify_all();
}

int Rebuilds::wait_after(int seen) const {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::seconds(5), [&] { return count_ > seen || stopped_; });
  return count_;
}

void Rebuilds::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

bool Rebuilds::stopped() const {
  const std::lock_guard lock(mutex_);
  return stopped_;
}

}  // namespace lectern::cli
