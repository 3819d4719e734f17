// A report's page of one lecture: its page before and now, side by side, stepped together. Loaded before NAME.js, which
// calls lecternCompare(beside).

import { SideBySide } from "./side_by_side";
import { initTools } from "./theme_switch";

class Pair {
  private readonly pair: SideBySide;
  private current: HTMLElement | undefined;

  /** `beside`: for each new step the old one beside it; ascending. */
  constructor(private readonly beside: readonly number[]) {
    const frame = (name: string): HTMLIFrameElement => document.querySelector<HTMLIFrameElement>(`iframe[name="${name}"]`)!;
    this.pair = new SideBySide([
      { frame: frame("old"), count: Infinity, beside: (step) => this.newBeside(step) },
      { frame: frame("new"), count: Infinity, beside: (step) => this.beside[step] ?? 0 },
    ]);
    document.querySelector(".differences")!.addEventListener("click", (event) => {
      const target = event.target as Element;
      const item = target.closest<HTMLElement>("li");
      if (item && !target.closest("a")) this.show(item);
    });
    for (const item of document.querySelectorAll<HTMLElement>(".differences li")) {
      item.tabIndex = 0;
      item.addEventListener("keydown", (event) => {
        if (event.key === "Enter" && event.target === item) this.show(item);
      });
    }
    addEventListener("hashchange", () => this.follow());
    this.follow();
  }

  private follow(): void {
    const item = document.getElementById(location.hash.slice(1));
    if (item?.matches(".differences li")) this.show(item);
  }

  private show(item: HTMLElement): void {
    this.current?.removeAttribute("aria-current");
    item.setAttribute("aria-current", "true");
    this.current = item;
    for (const side of [0, 1] as const) {
      const step = Number(item.dataset[side === 0 ? "old" : "new"]);
      if (step >= 0) this.pair.go(side, step);
    }
  }

  /** The first new step that has this old one, or a later one, beside it. */
  private newBeside(step: number): number {
    const found = this.beside.findIndex((old) => old >= step);
    return found < 0 ? Math.max(0, this.beside.length - 1) : found;
  }
}

initTools();
(window as unknown as { lecternCompare: (beside: readonly number[]) => void }).lecternCompare = (beside) => new Pair(beside);
