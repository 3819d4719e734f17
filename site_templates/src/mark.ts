// A step that the reader marked: until the mark is removed, the state says what differs from it.

import { make, setHidden } from "./element";
import type { Model } from "./model";

const flag = "M6 17V4h8.5l-2.2 3 2.2 3H6";

export class Mark {
  step = -1;
  private readonly button = make("button", { type: "button" });
  private readonly tick = make("i", { className: "marked" });
  private readonly words = make("button", { type: "button" });
  private readonly told = make("div", { className: "marked" });

  constructor(private readonly model: Model) {
    this.button.dataset.action = "mark";
    this.button.innerHTML = `<svg viewBox="0 0 20 20" aria-hidden="true"><path d="${flag}"/></svg>`;
    document.querySelector("#where b")!.after(this.button);
    document.querySelector(".ticks")!.append(this.tick);
    const remove = make("button", { type: "button", textContent: "Remove", title: "Remove the mark" });
    remove.dataset.action = "unmark";
    this.words.dataset.action = "to-mark";
    const embed = make("button", { type: "button", textContent: "Copy embed code", title: "Code that shows the steps from the marked one to this one in another page (Y)" });
    embed.dataset.action = "embed";
    this.told.append(this.words, remove, embed);
    document.querySelector(".this-line")!.append(this.told);
  }

  /** Marks a step; -1: none. */
  set(step: number): void {
    this.step = step;
    this.tick.style.left = `${(100 * step) / Math.max(1, this.model.last)}%`;
  }

  show(at: number): void {
    const on = this.step >= 0;
    const here = on && at === this.step;
    setHidden(this.tick, !on);
    setHidden(this.told, !on);
    this.button.setAttribute("aria-pressed", String(here));
    this.button.setAttribute("aria-label", here ? "Marked step" : "Mark this step");
    this.button.title = here ? "Remove the mark (m)" : "Mark this step, to compare others with it (m)";
    if (!on) return;
    const [, line] = this.model.data.sites[this.model.site(this.step)]!;
    const step = (this.step + 1).toLocaleString("en");
    this.words.textContent = here ? `Step ${step} is marked` : `Compared with step ${step}, line ${line}`;
    this.words.title = "To the marked step (Shift M)";
  }

  /**
   * What a variable of an activation was at the marked step, or of the call of the same function that the mark is in; -1: it was
   * not there. Undefined: there is nothing to compare with.
   */
  value(activation: number, name: string, at: number): number | undefined {
    if (this.step < 0 || at === this.step) return undefined;
    const marked = this.model.activationOf(this.step);
    const same = this.model.functionOf(marked) === this.model.functionOf(activation);
    return this.model.valueOf(same ? marked : activation, name, this.step);
  }
}
