// Predict: what a step gives is hidden, in the state and beside the code, until the reader has guessed or asks to see it.
// The first guess counts; the score lasts as long as the page.

import { announce } from "./announce";
import type { ChangeIndex } from "./changes";
import { make } from "./element";
import { focusOn } from "./focus";
import { isRight } from "./guess";
import type { Model } from "./model";
import type { Rows } from "./rows";

interface Outcome {
  guess: string;
  right: boolean;
}

export class Predict {
  on = false;
  /** By step and name; undefined: shown without a guess. */
  private readonly outcomes = new Map<string, Outcome | undefined>();
  private right = 0;
  private guesses = 0;
  private covered: Element[] = [];
  private added: Element[] = [];

  /** `settled` is called when a value was guessed or shown. */
  constructor(
    private readonly model: Model,
    private readonly changes: ChangeIndex,
    private readonly rows: Rows,
    private readonly settled: () => void,
  ) {}

  /** The names of what a step changes and the reader has not guessed. */
  pending(step: number): string[] {
    return this.on ? this.changes.changedAt(step).filter((name) => !this.outcomes.has(`${step}/${name}`)) : [];
  }

  get score(): string {
    return this.guesses === 0 ? "No guesses yet" : `Guesses: ${this.right.toLocaleString("en")} of ${this.guesses.toLocaleString("en")} right`;
  }

  /** Hides what is to be guessed at a step, and asks for it; `activation`: of the frame whose variables are shown. */
  cover(step: number, activation: number): void {
    for (const element of this.covered) element.classList.remove("covered");
    for (const element of this.added) element.remove();
    this.covered = [];
    this.added = [];
    const pending = new Set(this.pending(step));
    if (this.on && activation === this.model.activationOf(step)) this.coverState(step, pending);
    if (pending.size === 0) return;
    const site = this.model.site(step);
    for (const row of this.rows.of(site)) {
      for (const chip of row.querySelectorAll<HTMLElement>(`.chips > .on[data-site="${site}"]`)) {
        if (chip.dataset.name === undefined || pending.has(chip.dataset.name)) this.hide(chip);
      }
    }
  }

  /** The field for the first guess that is asked for, if there is one. */
  get field(): HTMLInputElement | null {
    return document.querySelector<HTMLInputElement>("#vars .guess input");
  }

  private hide(element: Element): void {
    element.classList.add("covered");
    this.covered.push(element);
  }

  private coverState(step: number, pending: ReadonlySet<string>): void {
    for (const section of document.querySelectorAll<HTMLElement>("#vars > .var")) {
      const name = section.querySelector(".b")?.textContent ?? "";
      const outcome = this.outcomes.get(`${step}/${name}`);
      if (pending.has(name)) {
        this.hide(section);
        this.add(section, this.question(step, name));
      } else if (outcome) {
        const words = outcome.right ? "✓ as you guessed" : `✗ you guessed ${outcome.guess}`;
        this.add(section, make("p", { className: `guessed ${outcome.right ? "ok" : "bad"}`, textContent: words }));
      }
    }
  }

  private add(section: Element, element: Element): void {
    section.querySelector("header")!.after(element);
    this.added.push(element);
  }

  private question(step: number, name: string): HTMLElement {
    const field = make("input", { type: "text", autocomplete: "off", spellcheck: false, maxLength: 200 });
    field.setAttribute("autocapitalize", "off");
    field.setAttribute("aria-label", `Your guess: ${name} after this step`);
    field.placeholder = "Your guess";
    const check = make("button", { type: "button", className: "check", textContent: "Check" });
    const show = make("button", { type: "button", textContent: "Show" });
    const submit = (byKey: boolean): void => {
      if (field.value.trim() === "") field.focus();
      else this.settle(step, name, field.value.trim(), byKey);
    };
    check.addEventListener("click", (event) => submit(event.detail === 0));
    show.addEventListener("click", (event) => this.settle(step, name, undefined, event.detail === 0));
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.isComposing) submit(true);
      if (event.key === "Escape") field.blur();
    });
    return make("div", { className: "guess" }, field, check, show);
  }

  private settle(step: number, name: string, guess: string | undefined, byKey: boolean): void {
    const value = this.model.data.vars.of(step).find((entry) => entry[0] === name)![1];
    const { values } = this.model.data;
    const [type, text] = [values.type(value), values.text(value)];
    const right = guess !== undefined && isRight(guess, { type, text });
    this.outcomes.set(`${step}/${name}`, guess === undefined ? undefined : { guess, right });
    if (guess !== undefined) {
      ++this.guesses;
      if (right) ++this.right;
    }
    this.settled();
    const verdict = guess === undefined ? "" : right ? "Right: " : "Not quite: ";
    announce(() => `${verdict}${name} is ${text === "" ? type : text}. ${this.score}.`);
    // By keys to the next guess; without one, and after a click, they step again.
    if (byKey && this.field) focusOn(this.field);
    else if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  }
}
