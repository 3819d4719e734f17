// The dialog that lists the passes of the current line, with the values of each.

import { make } from "./element";
import type { Model } from "./model";
import type { Passes } from "./passes";
import { StepList } from "./step_list";

export class PassPicker {
  private readonly title = make("h2", { id: "passes-title" });
  private readonly words = make("p", { className: "quiet" });
  private readonly list: StepList;
  private readonly dialog: HTMLDialogElement;

  /** `ahead`: whether what a step gave is still to be kept from the reader. */
  constructor(
    private readonly model: Model,
    private readonly passes: Passes,
    private readonly ahead: (step: number) => boolean,
    go: (step: number) => void,
  ) {
    const close = make("button", { type: "button", textContent: "✕" });
    close.setAttribute("aria-label", "Close");
    close.addEventListener("click", () => this.dialog.close());
    this.list = new StepList("Passes", (step) => {
      this.dialog.close();
      go(step);
    });
    this.dialog = make("dialog", { className: "sheet" }, make("header", {}, this.title, close), this.words, this.list.element);
    this.dialog.setAttribute("aria-labelledby", this.title.id);
    this.dialog.addEventListener("click", (event) => {
      if (event.target === this.dialog) this.dialog.close();
    });
    document.body.append(this.dialog);
  }

  open(step: number): void {
    const all = this.passes.all(step);
    const [, line] = this.model.data.sites[this.model.site(step)]!;
    this.title.textContent = `Passes of line ${line}`;
    this.words.textContent = this.told(all);
    this.dialog.showModal();
    this.list.show(all.length, this.passes.index(step), (index) => {
      const pass = this.passes.describe(step, index);
      return { step: pass.step, label: pass.words, text: this.ahead(pass.step) ? "not reached yet" : pass.gave };
    });
    this.list.focusCurrent();
  }

  private told(all: readonly number[]): string {
    const times = all.length === 1 ? "It ran once." : `It ran ${all.length.toLocaleString("en")} times.`;
    const skipped = all.some((step) => this.model.leftOut.has(step));
    return skipped ? `Recorded: ${all.length.toLocaleString("en")}. Others ran without being recorded.` : times;
  }
}
