// A report's page of one lecture: its page before and now, side by side, stepped together. Loaded before NAME.js, which
// calls lecternCompare(beside).
//
// Pages opened from file:// may not look into each other: a lecture's page tells its parent where it is (viewer.ts), and
// is sent to a step by its address.

import { initTools } from "./theme_switch";

type Side = "old" | "new";

class Pair {
  private readonly frames: Record<Side, HTMLIFrameElement>;
  private readonly address: Record<Side, string>;
  /** The step that each page was sent to: its own message about that one is an echo. */
  private readonly sent: Partial<Record<Side, number>> = {};
  private current: HTMLElement | undefined;

  /** `beside`: for each new step the old one beside it; ascending. */
  constructor(private readonly beside: readonly number[]) {
    const frame = (side: Side): HTMLIFrameElement => document.querySelector<HTMLIFrameElement>(`iframe[name="${side}"]`)!;
    this.frames = { old: frame("old"), new: frame("new") };
    this.address = { old: this.frames.old.src, new: this.frames.new.src };
    addEventListener("message", (event) => this.pageMoved(event));
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

  private pageMoved(event: MessageEvent): void {
    const side = (["old", "new"] as const).find((name) => event.source === this.frames[name].contentWindow);
    const step: unknown = (event.data as { lecternStep?: unknown } | null)?.lecternStep;
    if (!side || typeof step !== "number") return;
    const sent = this.sent[side];
    delete this.sent[side];
    if (sent === step) return;
    if (side === "new") this.send("old", this.beside[step] ?? 0);
    else this.send("new", this.newBeside(step));
  }

  /** The first new step that has this old one, or a later one, beside it. */
  private newBeside(step: number): number {
    const found = this.beside.findIndex((old) => old >= step);
    return found < 0 ? Math.max(0, this.beside.length - 1) : found;
  }
}

initTools();
(window as unknown as { lecternCompare: (beside: readonly number[]) => void }).lecternCompare = (beside) => new Pair(beside);
