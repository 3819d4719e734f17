// Keeps the current row in view: scrolls it to the middle only when it is not wholly between the top and the bottom bars.

import { unfolded } from "./folds";
import { layOut } from "./paint";

const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");
const wide = matchMedia("(min-width: 861px)");
// A page is large: what is always there is looked for once.
const topBar = document.querySelector(".top");
const bar = document.querySelector(".bar");
const env = document.querySelector<HTMLElement>(".env");
let last = 0;

/** Where the window begins to be seen, below the top bar. */
export function upperEdge(): number {
  return Math.max(0, topBar?.getBoundingClientRect().bottom ?? 0);
}

/** Where it ends: above the bar, and on narrow windows above the state. */
export function lowerEdge(): number {
  const edge = bar?.getBoundingClientRect().top ?? innerHeight;
  if (!env || wide.matches) return edge;
  const box = env.getBoundingClientRect();
  return box.height > 0 ? Math.min(edge, box.top) : edge;
}

/** Whether some of it is between them. */
export function isInView(row: HTMLElement): boolean {
  const box = row.getBoundingClientRect();
  return box.bottom > upperEdge() && box.top < lowerEdge();
}

export function bringIntoView(row: HTMLElement, behavior?: "instant"): void {
  const top = upperEdge() + 4;
  const bottom = lowerEdge() - 4;
  const box = row.getBoundingClientRect();
  if (box.top >= top && box.bottom <= bottom) return;
  if (box.top <= top && box.bottom >= bottom) return;
  const room = bottom - top;
  const distance = box.height > room ? box.top - top : box.top - top - (room - box.height) / 2;
  // Short distances scroll smoothly; long ones, and those of a held key, would only blur.
  const held = performance.now() - last < 400;
  last = performance.now();
  const glide = !reducedMotion.matches && !held && Math.abs(distance) < innerHeight * 1.5;
  scrollBy({ top: distance, behavior: behavior ?? (glide ? "smooth" : "instant") });
}

/** Changes the page's look and keeps the line that is being read where it is. */
export function keepingPlace(change: () => void): void {
  layOut();
  const rows = [...document.querySelectorAll<HTMLElement>(".row")];
  const top = upperEdge();
  const shown = (row: HTMLElement): boolean => row.getClientRects().length > 0 && unfolded(row);
  const first = rows.findIndex((row) => shown(row) && row.getBoundingClientRect().bottom > top);
  const before = first < 0 ? 0 : rows[first]!.getBoundingClientRect().top;
  change();
  // The same line may now stand in another row, before or after.
  const line = rows[first]?.dataset.line;
  const source = rows[first]?.closest(".source");
  const here = rows.slice(Math.max(0, first - 1));
  const near =
    here.find((row) => row.dataset.line === line && row.closest(".source") === source && shown(row)) ?? here.find(shown);
  if (first >= 0 && near && before < top + innerHeight) {
    scrollBy({ top: near.getBoundingClientRect().top - Math.max(before, top), behavior: "instant" });
  }
}
