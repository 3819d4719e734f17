// A list of steps to go to: passes of a line, values of a variable. Of a long one the part around the current entry is in the
// page. One entry takes the focus from outside; the arrow keys, Home and End move it.

import { make } from "./element";
import { focusOn, revealIn } from "./focus";

export interface Entry {
  step: number;
  label: string;
  text: string;
}

/** Entries in the page at a time. */
const most = 100;

export class StepList {
  private readonly list = make("ol", {});
  private readonly earlier = make("button", { type: "button", className: "more" });
  private readonly later = make("button", { type: "button", className: "more" });
  readonly element = make("div", { className: "steps" }, this.earlier, this.list, this.later);
  private count = 0;
  private first = 0;
  private current = -1;
  private describe: (index: number) => Entry = () => ({ step: 0, label: "", text: "" });

  /** `go` is called with the step of the entry that the reader picks. */
  constructor(label: string, private readonly go: (step: number) => void) {
    this.list.setAttribute("aria-label", label);
    this.earlier.addEventListener("click", () => this.reach(this.first - 1));
    this.later.addEventListener("click", () => this.reach(this.first + this.list.children.length));
    this.list.addEventListener("click", (event) => {
      const button = (event.target as Element).closest("button");
      if (!button) return;
      // After a click of the mouse the arrows belong to the stepper again.
      if (event.detail > 0) button.blur();
      this.go(Number(button.dataset.step));
    });
    this.element.addEventListener("keydown", (event) => this.move(event));
  }

  /** Fills the list anew. */
  show(count: number, current: number, describe: (index: number) => Entry): void {
    this.count = count;
    this.describe = describe;
    this.current = current;
    this.fill(current);
  }

  /** Marks another entry as the current one; -1: none. */
  mark(current: number): void {
    if (current === this.current) return;
    this.current = current;
    if (current >= 0 && !this.button(current)) this.fill(current);
    else this.markCurrent();
    const button = this.button(current);
    if (button) revealIn(this.element, button);
  }

  focusCurrent(): void {
    focusOn(this.button(Math.max(0, this.current)));
  }

  private button(index: number): HTMLButtonElement | null {
    return this.list.children[index - this.first]?.querySelector("button") ?? null;
  }

  private fill(around: number): void {
    this.first = Math.max(0, Math.min(around - most / 2, this.count - most));
    const end = Math.min(this.count, this.first + most);
    const items: HTMLElement[] = [];
    for (let index = this.first; index < end; ++index) items.push(item(this.describe(index)));
    this.list.replaceChildren(...items);
    this.list.start = this.first + 1;
    this.tell(this.earlier, this.first, "earlier");
    this.tell(this.later, this.count - end, "later");
    this.markCurrent();
  }

  private tell(button: HTMLButtonElement, hidden: number, words: string): void {
    button.hidden = hidden === 0;
    button.textContent = `… ${hidden.toLocaleString("en")} ${words}`;
  }

  private markCurrent(): void {
    for (const button of this.list.querySelectorAll("button")) {
      button.removeAttribute("aria-current");
      button.tabIndex = -1;
    }
    const here = this.button(this.current);
    here?.setAttribute("aria-current", "true");
    const entrance = here ?? this.button(this.first);
    if (entrance) entrance.tabIndex = 0;
  }

  /** Brings an entry in and gives it the focus. */
  private reach(index: number): void {
    const wanted = Math.max(0, Math.min(this.count - 1, index));
    if (!this.button(wanted)) this.fill(wanted);
    focusOn(this.button(wanted));
  }

  private move(event: KeyboardEvent): void {
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    const at = [...this.list.children].findIndex((entry) => entry.contains(document.activeElement));
    if (at < 0) return;
    const here = this.first + at;
    const to = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: this.count - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.reach(to);
  }
}

function item({ step, label, text }: Entry): HTMLElement {
  const button = make("button", { type: "button" }, make("span", { className: "at", textContent: label }), " ");
  button.append(make("span", { className: "of", textContent: text }));
  button.dataset.step = String(step);
  return make("li", {}, button);
}
