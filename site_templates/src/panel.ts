// The state beside the text: the call stack, the variables of one frame, what the step printed.

import { make } from "./element";
import type { Frame, Model, Variable } from "./model";
import { markShared } from "./tensors";

const shownFrames = 14;

export class Panel {
  private readonly stack = document.getElementById("stack")!;
  private readonly vars = document.getElementById("vars")!;
  private readonly output = document.getElementById("output")!;
  private stackKey = "";
  private outputText = "";
  private frames: Frame[] = [];
  private selected = -1;
  private activation = -1;
  private readonly shown = new Map<string, { element: HTMLElement; value: number; mark: HTMLElement }>();
  private readonly nothing = make("p", { className: "none", textContent: "Nothing is inspected in this function up to here." });
  private step = 0;
  private since = -1;

  /** `visit` is called with the frame that the reader picks. */
  constructor(
    private readonly model: Model,
    visit: (frame: Frame) => void,
  ) {
    this.stack.addEventListener("click", (event) => {
      const button = (event.target as Element).closest<HTMLElement>("button[data-depth]");
      if (!button) return;
      this.selected = Number(button.dataset.depth);
      this.showSelection();
      this.showVariables();
      visit(this.frames[this.selected]!);
    });
  }

  /** Shows a step; variables that changed after `since` are marked. The innermost frame is selected again. */
  update(step: number, since: number): void {
    this.step = step;
    this.since = since;
    this.frames = this.model.frames(step);
    this.selected = this.frames.length - 1;
    this.showStack();
    this.showVariables();
    this.showOutput();
  }

  private showStack(): void {
    const key = this.frames.map((frame) => `${frame.name}:${frame.line}`).join("/");
    if (key !== this.stackKey) {
      this.stackKey = key;
      const items: HTMLElement[] = [];
      const skipped = this.frames.length - shownFrames;
      this.frames.forEach((frame, depth) => {
        if (skipped > 0 && depth >= 2 && depth < 2 + skipped) {
          if (depth === 2) items.push(make("li", { className: "skipped", textContent: `… ${skipped} more …` }));
        } else {
          items.push(frameItem(frame, depth));
        }
      });
      this.stack.replaceChildren(...items);
    }
    this.showSelection();
  }

  private showSelection(): void {
    for (const button of this.stack.querySelectorAll<HTMLElement>("button")) {
      const here = Number(button.dataset.depth) === this.selected;
      if (here) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
  }

  private showVariables(): void {
    const activation = this.frames[this.selected]?.activation ?? -1;
    if (activation !== this.activation) {
      this.activation = activation;
      this.shown.clear();
      this.vars.replaceChildren();
    }
    const variables = this.model.variables(activation, this.step, this.since);
    const names = new Set(variables.map((variable) => variable.name));
    for (const [name, { element }] of this.shown) {
      if (names.has(name)) continue;
      element.remove();
      this.shown.delete(name);
    }
    let previous: Element | null = null;
    for (const variable of variables) previous = this.showVariable(variable, previous);
    if (variables.length === 0) this.vars.append(this.nothing);
    else this.nothing.remove();
    markShared(this.vars);
  }

  private showVariable(variable: Variable, previous: Element | null): HTMLElement {
    let entry = this.shown.get(variable.name);
    if (!entry || entry.value !== variable.value) {
      const [type, , html] = this.model.data.values[variable.value]!;
      const mark = make("span", { className: "new" });
      const name = make("span", { className: "b", textContent: variable.name });
      const head = make("header", {}, name, make("span", { className: "ty", textContent: type }), mark);
      const element = make("section", { className: "var" }, head);
      const body = make("div", { className: "value", innerHTML: this.model.data.html[html] ?? "" });
      // A short value stands beside its name, any other below.
      if (body.textContent!.length <= 24 && !body.querySelector("table, dl, ol, ul, pre, svg")) mark.before(body);
      else head.after(body);
      if (entry) entry.element.replaceWith(element);
      else if (previous) previous.after(element);
      else this.vars.prepend(element);
      this.shown.set(variable.name, (entry = { element, value: variable.value, mark }));
    }
    const text = variable.state === "" ? "" : `● ${variable.state}`;
    if (entry.mark.textContent !== text) entry.mark.textContent = text;
    return entry.element;
  }

  private showOutput(): void {
    const { out, ended, html } = this.model.data;
    const parts: string[] = [];
    const printed = out[this.step];
    if (printed !== undefined) parts.push("<h2>Output</h2>", html[printed]!);
    if (this.step === this.model.last && ended >= 0) parts.push("<h2>End of the run</h2>", html[ended]!);
    const text = parts.join("");
    if (text === this.outputText) return;
    this.outputText = text;
    this.output.hidden = text === "";
    this.output.innerHTML = text;
  }
}

function frameItem(frame: Frame, depth: number): HTMLElement {
  const name = make("span", { className: "name", textContent: frame.name });
  const line = make("span", { className: "line", textContent: `:${frame.line}` });
  const button = make("button", { type: "button" }, name, line);
  button.dataset.depth = String(depth);
  return make("li", {}, button);
}
