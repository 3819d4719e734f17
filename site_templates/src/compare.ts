// A report's page of one lecture: its page before and now, side by side, stepped together. Loaded before NAME.js, which
// calls lecternCompare(beside).
//
// Pages opened from file:// may not look into each other: a lecture's page tells its parent where it is (viewer.ts), and
// is told where to go by its address.

import { initThemeSwitch } from "./theme_switch";

type Side = "old" | "new";

class Pair {
  private readonly frames: Record<Side, HTMLIFrameElement>;
  private readonly address: Record<Side, string>;
  /** Where each page was sent: when it says so, that is no news. */
  private readonly sent: Partial<Record<Side, number>> = {};
  private current: HTMLElement | undefined;

  /** `beside`: for each new step the old one beside it; ascending. */
  constructor(private readonly beside: readonly number[]) {
    const frame = (side: Side): HTMLIFrameElement => document.querySelector<HTMLIFrameElement>(`iframe[name="${side}"]`)!;
    this.frames = { old: frame("old"), new: frame("new") };
    this.address = { old: this.frames.old.src, new: this.frames.new.src };
    addEventListener("message", (event) => this.told(event));
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
    for (const side of ["old", "new"] as const) {
      const step = Number(item.dataset[side]);
      if (step >= 0) this.send(side, step);
    }
  }

  private send(side: Side, step: number): void {
    this.sent[side] = step;
    // A new address without a new entry in the history.
    this.frames[side].contentWindow!.location.replace(`${this.address[side]}#step=${step + 1}`);
  }

  private told(event: MessageEvent): void {
    const side = (["old", "new"] as const).find((name) => event.source === this.frames[name].contentWindow);
    const step: unknown = (event.data as { lecternStep?: unknown } | null)?.lecternStep;
    if (!side || typeof step !== "number") return;
    if (this.sent[side] === step) {
      delete this.sent[side];
      return;
    }
    delete this.sent[side];
    if (side === "new") this.send("old", this.beside[step] ?? 0);
    else this.send("new", this.newBeside(step));
  }

  /** The first new step beside which that old one, or a later one, stands. */
  private newBeside(step: number): number {
    let low = 0;
    let high = this.beside.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.beside[middle]! >= step) high = middle;
      else low = middle + 1;
    }
    return Math.max(low, 0);
  }
}

const nextTheme = initThemeSwitch();
document.querySelector<HTMLElement>(".tools")?.removeAttribute("hidden");
document.querySelector('[data-action="theme"]')?.addEventListener("click", nextTheme);
(window as unknown as { lecternCompare: (beside: readonly number[]) => void }).lecternCompare = (beside) => new Pair(beside);
