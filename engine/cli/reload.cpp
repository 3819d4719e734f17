#include "cli/reload.h"

#include <chrono>
#include <utility>

#include "base/json_text.h"

namespace lectern::cli {

namespace {

constexpr const char* kReloadScript = R"script((() => {
  "use strict";
  let pages;

  const styled = (name, style, text = "") => {
    const element = document.createElement(name);
    element.style.cssText = style;
    element.textContent = text;
    return element;
  };
  const box = "font: 14px/1.5 system-ui, sans-serif; border: 1px solid; border-radius: 8px; " +
    "background: Canvas; color: CanvasText; color-scheme: light dark;";

  const dialog = styled("dialog", box + "box-sizing: border-box; width: min(60rem, 94vw); padding: 1rem;");
  dialog.setAttribute("aria-labelledby", "lectern-problems");
  const title = styled("h2", "margin: 0 0 .5rem; font: 600 16px/1.4 system-ui, sans-serif;", "The newest version failed");
  title.id = "lectern-problems";
  const list = styled("pre", "margin: 0 0 1rem; max-height: 60vh; overflow: auto; white-space: pre-wrap; " +
    "overflow-wrap: anywhere; font: 13px/1.5 ui-monospace, monospace; background: none; color: inherit;");
  list.tabIndex = 0;
  const hint = styled("p", "margin: 0 0 1rem;",
    "The page below is the newest that could be made. Save a correction and it is made anew.");
  const back = styled("button", box + "padding: .3rem .8rem; cursor: pointer;", "Back to the page (Esc)");
  back.autofocus = true;
  back.addEventListener("click", () => dialog.close());
  dialog.append(title, list, hint, back);
  // The page's own keys step through the lecture.
  dialog.addEventListener("keydown", (event) => event.stopPropagation());

  const corner = box + "position: fixed; right: 1rem; top: 4rem; z-index: 1000; padding: .3rem .8rem;";
  const busy = styled("div", corner, "Building…");
  busy.setAttribute("role", "status");
  const again = styled("button", corner + "cursor: pointer;", "The newest version failed: show why");
  again.addEventListener("click", () => dialog.showModal());

  const place = /^(?:lectern: )?([^\s:]+:\d+(?::\d+)?): /;
  const listProblems = (problems) => {
    list.replaceChildren();
    for (const line of problems.trimEnd().split("\n")) {
      const found = place.exec(line);
      if (found) list.append(styled("strong", "", found[1]), line.slice(found[0].length - 2), "\n");
      else list.append(line, "\n");
    }
  };

  let listed = "";
  const show = (state) => {
    const failed = state.problems !== "" && !state.building;
    busy.hidden = !state.building;
    again.hidden = !failed;
    if (!failed) return dialog.close();
    if (listed === state.problems) return;
    listed = state.problems;
    listProblems(listed);
    if (!dialog.open) dialog.showModal();
  };

  const take = ({ data }) => {
    const state = JSON.parse(data);
    if (pages !== undefined && pages !== state.pages) return location.reload();
    pages = state.pages;
    if (!busy.isConnected) document.body.append(dialog, busy, again);
    if (state.building) listed = ""; // a failure of the next build is a new one, whatever it says
    show(state);
  };
  if ("SharedWorker" in window) new SharedWorker("/lectern-events.js").port.onmessage = take;
  else new EventSource("/lectern-events").onmessage = take;
})();
)script";

constexpr const char* kEventsScript = R"script((() => {
  "use strict";
  const ports = [];
  let newest;
  addEventListener("connect", ({ ports: [port] }) => {
    ports.push(port);
    if (newest !== undefined) port.postMessage(newest);
  });
  new EventSource("/lectern-events").onmessage = ({ data }) => {
    newest = data;
    for (const port of ports) port.postMessage(data);
  };
})();
)script";

}  // namespace

const char* reload_script() {
  return kReloadScript;
}

const char* events_script() {
  return kEventsScript;
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

std::string BuildState::json() const {
  std::string json = "{\"pages\":" + std::to_string(pages) +
                     ",\"building\":" + (building ? "true" : "false") + ",\"problems\":";
  append_json_string(json, problems);
  return json + "}";
}

void BuildNews::begin() {
  const std::lock_guard lock(mutex_);
  state_.building = true;
  announce();
}

void BuildNews::end(bool pages, std::string problems) {
  const std::lock_guard lock(mutex_);
  state_ = {state_.pages + (pages ? 1 : 0), false, std::move(problems)};
  announce();
}

void BuildNews::announce() {
  ++number_;
  changed_.notify_all();
}

int BuildNews::wait_after(int seen, BuildState& state) const {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::seconds(5), [&] { return number_ > seen || stopped_; });
  state = state_;
  return number_;
}

void BuildNews::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

bool BuildNews::stopped() const {
  const std::lock_guard lock(mutex_);
  return stopped_;
}

}  // namespace lectern::cli
