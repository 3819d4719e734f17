// The history of a variable, below its name in the state: every value that it had in all calls of its function, as a list
// and, where all are numbers, as a curve.

import type { Breakpoints } from "./breakpoints";
import type { Changes, ChangeIndex } from "./changes";
import { Curve } from "./curve";
import { make } from "./element";
import { focusOn } from "./focus";
import { lastAtMost } from "./columns";
import type { Model } from "./model";
import { numberOf } from "./number_text";
import { StepList } from "./step_list";

interface Opened {
  name: string;
  fn: number;
  body: HTMLElement;
  stop: HTMLButtonElement;
  list: StepList;
  curve: Curve | undefined;
  changes: Changes;
  /** How many of the changes are shown. */
  shown: number;
}

export class Histories {
  private readonly panel = document.getElementById("vars")!;
  private readonly opened = new Map<string, Opened>();
  private activation = -1;
  private step = 0;
  /** What had the focus when the reader went to another step from a list. */
  private focused: Element | null = null;
  private readonly go: (step: number) => void;

  /** `reached`: the last step whose values the reader may see. */
  constructor(
    private readonly model: Model,
    private readonly index: ChangeIndex,
    private readonly breakpoints: Breakpoints,
    private readonly reached: () => number,
    go: (step: number) => void,
  ) {
    this.go = (step) => {
      this.focused = document.activeElement;
      go(step);
    };
    this.panel.addEventListener("click", (event) => {
      const button = (event.target as Element).closest<HTMLElement>("button.b, .stop");
      if (button?.matches(".b")) this.toggle(button.textContent ?? "");
      if (event.detail > 0) button?.blur();
    });
  }

  /** Puts what is open below the variables that the state shows now. */
  attach(activation: number, step: number): void {
    this.activation = activation;
    this.step = step;
    const fn = this.model.functionOf(activation);
    for (const section of this.panel.querySelectorAll<HTMLElement>(":scope > .var")) {
      const name = nameIn(section);
      const opened = this.opened.get(key(fn, name));
      section.classList.toggle("watched", this.breakpoints.watches(fn, name));
      section.querySelector("button.b")?.setAttribute("aria-expanded", String(opened !== undefined));
      const inside = section.querySelector(":scope > .history");
      if (inside !== (opened?.body ?? null)) {
        inside?.remove();
        if (opened) section.append(opened.body);
      }
      if (opened) this.update(opened);
    }
    // Moving an element took the focus from it.
    if (this.focused instanceof HTMLElement && this.focused.closest(".history")) focusOn(this.focused);
    this.focused = null;
  }

  /** Opens or closes the history of a variable of the frame that is shown. */
  toggle(name: string): void {
    const fn = this.model.functionOf(this.activation);
    const id = key(fn, name);
    if (!this.opened.delete(id)) this.opened.set(id, this.build(fn, name));
    this.attach(this.activation, this.step);
  }

  shows(name: string): boolean {
    return [...this.panel.querySelectorAll(":scope > .var")].some((section) => nameIn(section) === name);
  }

  /** Opens the history of a variable of a function, and gives it the focus once the state shows it. */
  openNext(fn: number, name: string): void {
    const id = key(fn, name);
    let opened = this.opened.get(id);
    if (!opened) this.opened.set(id, (opened = this.build(fn, name)));
    this.attach(this.activation, this.step);
    requestAnimationFrame(() => requestAnimationFrame(() => opened.list.focusCurrent()));
  }

  /** Opens the history of the variable that the step changed, else of the first; by a key. False: there is none. */
  toggleByKey(): boolean {
    const section = this.chosen();
    if (!section) return false;
    const name = nameIn(section);
    this.toggle(name);
    const opened = this.opened.get(key(this.model.functionOf(this.activation), name));
    if (opened) opened.list.focusCurrent();
    else focusOn(section.querySelector<HTMLElement>("button.b"));
    return true;
  }

  /** Stops at changes of the variable chosen in the same way, or no longer. Its name; undefined: there is none. */
  toggleWatch(): string | undefined {
    const section = this.chosen();
    if (!section) return undefined;
    const name = nameIn(section);
    this.breakpoints.toggleVariable(this.model.functionOf(this.activation), name);
    this.attach(this.activation, this.step);
    return name;
  }

  /** What the step gives has become visible, or no longer is. */
  refresh(): void {
    for (const opened of this.opened.values()) opened.shown = -1;
    this.attach(this.activation, this.step);
  }

  private chosen(): HTMLElement | undefined {
    const inside = document.activeElement?.closest<HTMLElement>("#vars > .var");
    if (inside) return inside;
    const sections = [...this.panel.querySelectorAll<HTMLElement>(":scope > .var")];
    const here = this.activation === this.model.activationOf(this.step);
    const names = new Set(here ? this.index.changedAt(this.step) : []);
    return sections.find((section) => names.has(nameIn(section))) ?? sections[0];
  }

  private build(fn: number, name: string): Opened {
    const list = new StepList(`Values of ${name}`, this.go);
    const stop = make("button", { type: "button", className: "stop", textContent: "Stop when it changes" });
    stop.title = "When running on, back, or playing (w)";
    stop.addEventListener("click", () => {
      this.breakpoints.toggleVariable(fn, name);
      this.attach(this.activation, this.step);
    });
    const body = make("div", { className: "history" });
    return { name, fn, body, stop, list, curve: undefined, changes: this.index.of(fn, name), shown: -1 };
  }

  private update(opened: Opened): void {
    const { changes, stop } = opened;
    stop.setAttribute("aria-pressed", String(this.breakpoints.watches(opened.fn, opened.name)));
    const count = lastAtMost(changes.steps, this.reached()) + 1;
    if (count !== opened.shown) this.fill(opened, count);
    const current = Math.min(count - 1, lastAtMost(changes.steps, this.step));
    opened.list.mark(current);
    opened.curve?.mark(this.step);
  }

  private fill(opened: Opened, count: number): void {
    opened.shown = count;
    const { changes, name, list, body, stop } = opened;
    const steps = changes.steps.slice(0, count);
    const { data } = this.model;
    const numbers = changes.values.slice(0, count).map((value) => numberOf(data.values.text(value)));
    const allNumbers = count > 1 && numbers.every((number) => number !== undefined);
    const drawable = allNumbers && numbers.some((number) => Number.isFinite(number));
    const calls = steps.map((step) => this.model.activationOf(step));
    const several = calls.some((call) => call !== calls[0]);
    opened.curve = drawable ? new Curve(name, steps, numbers as number[], calls, this.go) : undefined;
    list.show(count, lastAtMost(steps, this.step), (index) => this.entry(changes, index, several));
    const words = count === 1 ? "One value" : `${count.toLocaleString("en")} values`;
    const told = make("p", { className: "told" }, make("span", { textContent: words }), stop);
    body.replaceChildren(told, ...(opened.curve ? [opened.curve.element] : []), list.element);
  }

  private entry(changes: Changes, index: number, calls: boolean): { step: number; label: string; text: string } {
    const { model } = this;
    const step = changes.steps[index]!;
    const [, line] = model.data.sites[model.site(step)]!;
    const pass = model.executions[model.site(step)]!.length > 1 ? `, pass ${model.pass[step]!.toLocaleString("en")}` : "";
    const call = calls ? `call ${model.activationOrdinal(step).toLocaleString("en")}, ` : "";
    return { step, label: `${call}line ${line}${pass}`, text: model.data.values.words(changes.values[index]!) };
  }
}

function key(fn: number, name: string): string {
  return `${fn}/${name}`;
}

function nameIn(section: Element): string {
  return section.querySelector(".b")?.textContent ?? "";
}
