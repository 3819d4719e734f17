// The row of the step stays in view where the page takes another shape: a view is switched, the window has another size.

import { bringIntoView, isInView, keepingPlace } from "./scroll";

/** A phone's window changes its height as the page scrolls. */
const touch = matchMedia("(pointer: coarse)");

export class Place {
  /** Whether the row was in view when the page last moved: once the window has another size, it is too late to ask. */
  private seen = false;
  private width = innerWidth;

  /** `row`: that of the step, if there is one to be seen. */
  constructor(private readonly row: () => HTMLElement | undefined) {
    addEventListener("scroll", () => this.note(), { passive: true });
    addEventListener("resize", () => this.resized());
  }

  /** Brings a row into view: the page shows another step. */
  follow(row: HTMLElement): void {
    bringIntoView(row);
    this.seen = true;
  }

  /** Changes the page's look. The row of the step is in view afterwards if it was before, or if there was none. */
  keep(change: () => void): void {
    const before = this.row();
    const wanted = !before || isInView(before);
    keepingPlace(change);
    if (wanted) this.hold();
    this.note();
  }

  private hold(): void {
    const row = this.row();
    if (row) bringIntoView(row, "instant");
  }

  private note(): void {
    const row = this.row();
    this.seen = row !== undefined && isInView(row);
  }

  private resized(): void {
    if (touch.matches && innerWidth === this.width) return;
    this.width = innerWidth;
    if (this.seen) this.hold();
  }
}
