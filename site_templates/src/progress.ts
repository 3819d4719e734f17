// The bar under the text: a slider over all steps, with a tick where each section begins, and words for where we are.

import { make } from "./element";
import type { Model } from "./model";

export class Progress {
  private readonly slider = document.getElementById("progress") as HTMLInputElement;
  private readonly where = document.getElementById("where")!;
  private readonly count = document.createElement("b");
  private readonly place = document.createElement("span");

  constructor(
    private readonly model: Model,
    starts: readonly { title: string; step: number }[],
    reader: { grabbed(): void; moved(step: number): void },
  ) {
    const ticks = make("div", { className: "ticks" });
    ticks.setAttribute("aria-hidden", "true");
    const room = Math.max(1, model.last);
    for (const { title, step } of starts) {
      const tick = make("i", { title });
      tick.style.left = `${(100 * step) / room}%`;
      ticks.append(tick);
    }
    this.slider.before(ticks);
    // A whole drag is one jump; the slider's own keys are steps.
    this.slider.addEventListener("pointerdown", () => reader.grabbed());
    this.slider.addEventListener("input", () => reader.moved(Number(this.slider.value)));
    this.where.replaceChildren(this.count, this.place);
  }

  update(step: number): void {
    const place = this.model.data.sites[this.model.site(step)]!;
    const pass = this.model.pass[step]!;
    const words = [
      this.model.functionName(step),
      `line ${place[1]}`,
      ...(this.model.executions[this.model.site(step)]!.length > 1 ? [`pass ${pass.toLocaleString("en")}`] : []),
      ...(this.model.after[step]! ? ["after its call"] : []),
    ].join(", ");
    const count = `step ${(step + 1).toLocaleString("en")} of ${this.model.count.toLocaleString("en")}`;
    this.slider.value = String(step);
    this.slider.setAttribute("aria-valuetext", `${count}, ${words}`);
    this.slider.style.setProperty("--done", `${(100 * step) / Math.max(1, this.model.last)}%`);
    this.count.textContent = count;
    this.place.textContent = words;
    this.place.title = words;
  }
}
