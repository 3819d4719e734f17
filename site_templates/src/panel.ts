// The state beside the text: the call stack, the variables of one frame, what the step printed.

import { copyMenu, initCopying } from "./copy";
import { make, setText } from "./element";
import type { Frame, Model, Variable } from "./model";
import { forgetShared, markShared } from "./tensors";
import { clearDifferences, markDifferences } from "./value_diff";

interface Shown {
  element: HTMLElement;
  head: HTMLElement;
  type: HTMLElement;
  copy: HTMLDetailsElement;
  value: number;
  mark: HTMLElement;
  body: HTMLElement;
  /** Whether its rendering, or that of the value before, is still to come. */
  late: boolean;
  /** The value that the marks within are about; -1: there are none. */
  old: number;
  /** How many there are. */
  places: number;
}

export class Panel {
  private readonly stack = document.getElementById("stack")!;
  private readonly vars = document.getElementById("vars")!;
  private readonly output = document.getElementById("output")!;
  /** What stands in each line of the stack. */
  private stackKeys: string[] = [];
  private outputText = "";
  private frames: Frame[] = [];
  private selected = -1;
  private activation = -1;
  private readonly shown = new Map<string, Shown>();
  private readonly nothing = make("p", { className: "none", textContent: "Nothing is inspected in this function up to here." });
  private step = 0;
  private since = -1;
  /** What a variable was at the step that this one is compared with (mark.ts); undefined: compared with the step before. */
  marked: (activation: number, name: string) => number | undefined = () => undefined;
  /** Called when the variables of an activation were shown. */
  onVariables: (activation: number) => void = () => {};

  /** `visit` is called with the frame that the reader picks. */
  constructor(
    private readonly model: Model,
    visit: (frame: Frame) => void,
  ) {
    initCopying(this.vars);
    this.stack.addEventListener("click", (event) => {
      const button = (event.target as Element).closest<HTMLElement>("button[data-depth]");
      if (!button) return;
      this.selected = Number(button.dataset.depth);
      this.showSelection();
      this.showVariables();
      visit(this.selectedFrame()!);
    });
  }

  /** Shows a step; variables that changed after `since` are marked. The innermost frame is selected again. */
  update(step: number, since: number): void {
    this.step = step;
    this.since = since;
    this.frames = this.model.frames(step);
    this.selected = this.model.depthOf(step) - 1;
    this.showStack();
    this.showVariables();
    this.showOutput();
  }

  /** Shows what had not come when the step was shown. */
  complete(): void {
    this.showVariables();
    this.showOutput();
  }

  private selectedFrame(): Frame | undefined {
    return this.frames.find((frame) => frame.depth === this.selected);
  }

  private showStack(): void {
    const keys: string[] = [];
    const show = (key: string, item: () => HTMLElement): Element => {
      const at = keys.push(key) - 1;
      const old = this.stack.children[at];
      if (old && this.stackKeys[at] === key) return old;
      const made = item();
      if (old) old.replaceWith(made);
      else this.stack.append(made);
      return made;
    };
    let next = 0;
    for (const frame of this.frames) {
      const words = `… ${(frame.depth - next).toLocaleString("en")} more …`;
      if (frame.depth > next) show(words, () => make("li", { className: "skipped", textContent: words }));
      const item = show(`${frame.depth}:${frame.name}${frame.args}`, () => frameItem(frame));
      setText(item.querySelector<HTMLElement>(".line")!, `:${frame.line}`);
      next = frame.depth + 1;
    }
    while (this.stack.children.length > keys.length) this.stack.lastElementChild!.remove();
    this.stackKeys = keys;
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
    const activation = this.selectedFrame()?.activation ?? -1;
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
    this.onVariables(activation);
  }

  private showVariable(variable: Variable, previous: Element | null): HTMLElement {
    const then = this.marked(this.activation, variable.name);
    if (then !== undefined) variable = { ...variable, state: "", old: then === variable.value ? -1 : then };
    let entry = this.shown.get(variable.name);
    if (!entry) {
      this.shown.set(variable.name, (entry = makeVariable(variable.name)));
      if (previous) previous.after(entry.element);
      else this.vars.prepend(entry.element);
    }
    if (entry.value !== variable.value || entry.late) this.fill(entry, variable.value);
    if (entry.old !== variable.old) this.markChanges(entry, variable.old);
    const places = entry.places === 0 ? "" : ` in ${entry.places.toLocaleString("en")} ${entry.places === 1 ? "place" : "places"}`;
    const state = then === undefined ? variable.state : this.compared(variable.value, then);
    const text = state === "" ? "" : `● ${state}${/^(changed|differs)$/.test(state) ? places : ""}`;
    setText(entry.mark, text);
    return entry.element;
  }

  /** Puts another value in the place of the one that is shown: what is around it stays. */
  private fill(entry: Shown, value: number): void {
    const { values } = this.model.data;
    const { head, mark, body } = entry;
    const [type, text] = [values.type(value), values.text(value)];
    const rendered = this.model.fragments.get(values.html(value));
    const opened = openParts(body);
    setText(entry.type, type);
    if (rendered === undefined) setText(body, text === type ? "…" : text);
    else body.innerHTML = rendered;
    openAgain(body, opened);
    entry.copy.open = false;
    forgetShared(head);
    // A short value stands beside its name, any other below.
    const isShort = body.textContent!.length <= 24 && !body.querySelector("table, dl, ol, ul, pre, svg");
    if (isShort && mark.previousElementSibling !== body) mark.before(body);
    else if (!isShort && head.nextElementSibling !== body) head.after(body);
    Object.assign(entry, { value, late: rendered === undefined, old: -1, places: 0 });
  }

  /** How a value differs from what it was at the marked step. */
  private compared(value: number, then: number): string {
    const { values } = this.model.data;
    if (then === value) return "";
    if (then < 0) return "not at the mark";
    const text = values.text(then);
    return text === "" || text === values.text(value) ? "differs" : `was ${text}`;
  }

  private markChanges(entry: Shown, old: number): void {
    const { values } = this.model.data;
    entry.old = old;
    entry.places = 0;
    if (old < 0) return clearDifferences(entry.body);
    const before = this.model.fragments.get(values.html(old));
    if (before === undefined) entry.late = true;
    else if (!entry.late) entry.places = markDifferences(entry.body, before);
  }

  private showOutput(): void {
    const { out, ended } = this.model.data;
    const { fragments } = this.model;
    const parts: string[] = [];
    const printed = out.of(this.step);
    if (printed !== undefined) parts.push("<h2>Output</h2>", fragments.get(printed) ?? "");
    if (this.step === this.model.last && ended >= 0) parts.push("<h2>End of the run</h2>", fragments.get(ended) ?? "");
    const text = parts.join("");
    if (text === this.outputText) return;
    this.outputText = text;
    this.output.hidden = text === "";
    this.output.innerHTML = text;
  }
}

/** A variable without a value. */
function makeVariable(variable: string): Shown {
  const name = make("button", { type: "button", className: "b", textContent: variable, title: "Its history (v)" });
  name.setAttribute("aria-expanded", "false");
  const type = make("span", { className: "ty" });
  const mark = make("span", { className: "new" });
  const copy = copyMenu(variable);
  const head = make("header", {}, name, type, mark, copy);
  const body = make("div", { className: "value" });
  const element = make("section", { className: "var" }, head, body);
  return { element, head, type, copy, value: -1, mark, body, late: false, old: -1, places: 0 };
}

/** What the reader has opened in a value stays open in the next one. */
function openParts(body: Element): Set<string> {
  return new Set([...body.querySelectorAll<HTMLDetailsElement>("details[open]")].map(pathTo));
}

function openAgain(body: Element, names: ReadonlySet<string>): void {
  if (names.size === 0) return;
  for (const details of body.querySelectorAll("details")) details.open = names.has(pathTo(details));
}

/** The names of the parts that a part is in; in a list, its place. */
function pathTo(part: Element): string {
  const names: string[] = [];
  for (let at: Element = part; !at.matches(".value"); at = at.parentElement!) {
    if (at.localName === "dd") names.push(at.previousElementSibling!.textContent ?? "");
    else if (at.localName === "td") names.push(at.parentElement!.firstElementChild!.textContent ?? "");
    else names.push(`${at.localName} ${[...at.parentElement!.children].indexOf(at)}`);
  }
  return names.join("/");
}

function frameItem(frame: Frame): HTMLElement {
  const name = make("span", { className: "name", textContent: frame.name });
  if (frame.args !== "") name.append(make("span", { className: "args", textContent: frame.args }));
  const line = make("span", { className: "line" });
  const button = make("button", { type: "button" }, name, line);
  button.dataset.depth = String(frame.depth);
  return make("li", {}, button);
}
