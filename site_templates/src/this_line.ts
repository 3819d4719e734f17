// The controls of the line that is shown, above the state: its passes, a breakpoint, guessing; and, once there are
// breakpoints, the way to them.

import { make, setHidden, setText } from "./element";
import type { Action } from "./keys";

const signs = {
  first: "M5 4v12M16 4l-7 6 7 6", back: "M13 4l-7 6 7 6", forth: "M7 4l7 6-7 6", last: "M15 4v12M4 4l7 6-7 6",
  dot: "M10 5.5a4.5 4.5 0 1 0 .01 0z", runBack: "M15 4l-7 6 7 6M4.5 10h.01", run: "M5 4l7 6-7 6M15.5 10h.01",
  link: "M8.5 11.5l3-3M7.5 9l-2 2a2.5 2.5 0 0 0 3.5 3.5l2-2M12.5 11l2-2A2.5 2.5 0 0 0 11 5.5l-2 2",
};

export interface LineState {
  line: number;
  /** Of the passes of its statement, from 0; -1: none of those recorded. */
  pass: number;
  passes: number;
  stops: boolean;
  breakpoints: number;
  predicting: boolean;
  score: string;
}

export class ThisLine {
  private readonly title = make("h2", { id: "line-title" });
  private readonly pick = button("passes", "", "All passes (p)");
  private readonly passes = group("Passes of this line", "passes",
    iconButton("first-pass", "First pass", "First pass (<)", "first"),
    iconButton("before", "Previous pass", "Previous pass (,)", "back"),
    this.pick,
    iconButton("again", "Next pass", "Next pass (.)", "forth"),
    iconButton("last-pass", "Last pass", "Last pass (>)", "last"),
  );
  private readonly stop = iconButton("break", "Stop at this line", "Breakpoint (b)", "dot");
  private readonly guess = button("predict", "Predict", "Guess what a line gives before it is shown (q)");
  private readonly link = iconButton("copy-link", "Copy the link to this step", "Copy the link to this step (y)", "link");
  private readonly count = make("span", {});
  private readonly running = group("Breakpoints", "running",
    iconButton("run-back", "Back to a breakpoint", "Back to a breakpoint (Shift C)", "runBack"),
    this.count,
    iconButton("run", "On to a breakpoint", "On to a breakpoint (c)", "run"),
    button("clear-breaks", "Clear", "Remove all breakpoints"),
  );
  private readonly score = make("p", { className: "score" });

  constructor() {
    this.pick.setAttribute("aria-haspopup", "dialog");
    const controls = make("div", { className: "controls" }, this.passes, this.stop, this.link, this.guess);
    const section = make("section", { className: "this-line" }, this.title, controls, this.running, this.score);
    section.setAttribute("aria-labelledby", this.title.id);
    document.querySelector(".env")!.prepend(section);
  }

  show(state: LineState): void {
    const all = state.passes.toLocaleString("en");
    const here = state.pass < 0 ? "–" : (state.pass + 1).toLocaleString("en");
    setText(this.title, `Line ${state.line}`);
    setHidden(this.passes, state.passes < 2);
    setText(this.pick, `${here} of ${all}`);
    this.pick.setAttribute("aria-label", `Pass ${here} of ${all}: all passes`);
    this.stop.setAttribute("aria-pressed", String(state.stops));
    this.guess.setAttribute("aria-pressed", String(state.predicting));
    setHidden(this.running, state.breakpoints === 0);
    setText(this.count, state.breakpoints === 1 ? "1 breakpoint" : `${state.breakpoints.toLocaleString("en")} breakpoints`);
    setHidden(this.score, !state.predicting);
    setText(this.score, state.score);
  }
}

function group(label: string, className: string, ...children: Node[]): HTMLElement {
  const element = make("div", { className }, ...children);
  element.setAttribute("role", "group");
  element.setAttribute("aria-label", label);
  return element;
}

function button(action: Action, textContent: string, title: string): HTMLButtonElement {
  const element = make("button", { type: "button", textContent, title });
  element.dataset.action = action;
  return element;
}

function iconButton(action: Action, label: string, title: string, sign: keyof typeof signs): HTMLButtonElement {
  const element = button(action, "", title);
  element.setAttribute("aria-label", label);
  element.innerHTML = `<svg viewBox="0 0 20 20" aria-hidden="true"><path d="${signs[sign]}"/></svg>`;
  return element;
}
