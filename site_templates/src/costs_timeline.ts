// The curves of memory and of what each step costs, under the slider and to its scale. They were drawn when the page was
// made; the pointer reads them and goes to the step that cost most where it is.

import type { RunCosts } from "./costs_run";
import { make } from "./element";

/** So many pixels beside the pointer are looked at as well: a peak is narrow. */
const reach = 3;

export class Timeline {
  private readonly cursor = make("i", { className: "now" });
  private readonly tip = make("div", { className: "cost-tip", hidden: true });
  private readonly box = make("div", { className: "run-costs" });
  costs: RunCosts | undefined;

  constructor(
    private readonly last: number,
    jump: (step: number) => void,
  ) {
    this.box.setAttribute("aria-hidden", "true"); // the slider and the state say the same
    // Time, or FLOPs where there is none.
    const spent = document.querySelector('.cost-curve[data-kind="time"] svg') ?? document.querySelector('.cost-curve[data-kind="flops"] svg');
    const memory = document.querySelector('.cost-curve[data-kind="memory"] svg');
    for (const svg of [spent, memory]) {
      if (!svg) continue;
      const copy = svg.cloneNode(true) as SVGElement;
      copy.removeAttribute("role");
      copy.removeAttribute("aria-label");
      this.box.append(copy);
    }
    this.box.append(this.cursor);
    document.querySelector(".tl")!.append(this.box, this.tip);
    this.box.addEventListener("pointermove", (event) => this.read(event));
    this.box.addEventListener("pointerleave", () => (this.tip.hidden = true));
    this.box.addEventListener("click", (event) => jump(this.nearest(event)));
  }

  update(step: number): void {
    this.cursor.style.transform = `translateX(${(100 * step) / Math.max(1, this.last)}%)`;
  }

  private nearest(event: MouseEvent): number {
    const box = this.box.getBoundingClientRect();
    const at = (x: number): number => {
      const share = Math.max(0, Math.min(1, (x - box.left) / Math.max(1, box.width)));
      return Math.round(share * this.last);
    };
    return this.costs?.costliest(at(event.clientX - reach), at(event.clientX + reach)) ?? at(event.clientX);
  }

  private read(event: PointerEvent): void {
    if (!this.costs) return;
    const step = this.nearest(event);
    this.tip.textContent = `step ${(step + 1).toLocaleString("en")}: ${this.costs.words(step)}`;
    this.tip.hidden = false;
    const room = this.box.parentElement!.getBoundingClientRect();
    const half = this.tip.offsetWidth / 2;
    const x = Math.max(half, Math.min(room.width - half, event.clientX - room.left));
    this.tip.style.left = `${x - half}px`;
  }
}
