// The bar under the text: a slider over all steps, with the depth of calls, a tick where each section begins, and words for
// where we are.

import { callDepth } from "./call_depth";
import { make, setText } from "./element";
import type { Model } from "./model";

export class Progress {
  private readonly slider = document.getElementById("progress") as HTMLInputElement;
  private readonly where = document.getElementById("where")!;
  private readonly count = document.createElement("b");
  private readonly place = document.createElement("span");

  constructor(
    private readonly model: Model,
    starts: readonly { title: string; step: number }[],
    moved: (step: number, jump: boolean) => void,
  ) {
    const ticks = make("div", { className: "ticks" });
    ticks.setAttribute("aria-hidden", "true");
    const room = Math.max(1, model.last);
    for (const { title, step } of starts) {
      const tick = make("i", { title });
      tick.style.left = `${(100 * step) / room}%`;
      ticks.append(tick);
    }
    const calls = callDepth(model);
    this.slider.before(...(calls ? [calls] : []), ticks);
    // A whole drag is one jump; the slider's own keys are steps.
    let grabbed = false;
    for (const kind of ["pointerdown", "pointerup"]) this.slider.addEventListener(kind, () => (grabbed = kind === "pointerdown"));
    this.slider.addEventListener("input", () => {
      moved(Number(this.slider.value), grabbed);
      grabbed = false;
    });
    this.where.replaceChildren(this.count, this.place);
    this.where.style.setProperty("--digits", String(2 * model.count.toLocaleString("en").length + 3));
  }

  /** What a reader who steps there passes over. */
  private leftOut(step: number): string {
    const passes = this.model.leftOut.get(step) ?? 0;
    return passes === 0 ? "" : ` (${passes.toLocaleString("en")} not shown)`;
  }

  update(step: number): void {
    const place = this.model.data.sites[this.model.site(step)]!;
    const pass = this.model.pass[step]!;
    const words = [
      this.model.functionName(step),
      `line ${place[1]}`,
      ...(this.model.executions[this.model.site(step)]!.length > 1 ? [`pass ${pass.toLocaleString("en")}${this.leftOut(step)}`] : []),
      ...(this.model.after[step]! ? ["after its call"] : []),
    ].join(", ");
    const [number, all] = [step + 1, this.model.count].map((at) => at.toLocaleString("en"));
    const count = `step ${number} of ${all}`;
    this.slider.value = String(step);
    this.slider.setAttribute("aria-valuetext", `${count}, ${words}`);
    this.slider.style.setProperty("--done", `${(100 * step) / Math.max(1, this.model.last)}%`);
    setText(this.count, count);
    this.count.dataset.short = `${number} / ${all}`; // on a phone
    setText(this.place, words);
    this.place.title = words;
  }
}
