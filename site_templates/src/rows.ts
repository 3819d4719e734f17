// Marks the rows of the source: where the run stands, who called, what is still ahead.

import type { Model } from "./model";
import { unfolded } from "./folds";

/** The rows on the page of a statement: its lines as code, or what stands in their place; both in raw view and out. */
export class Rows {
  private readonly cache = new Map<number, HTMLElement[]>();
  private readonly instead = new Map<number, HTMLElement>();
  private marked: HTMLElement[] = [];
  private calling: HTMLElement[] = [];

  constructor(private readonly model: Model) {
    for (const row of document.querySelectorAll<HTMLElement>(".row.shown[data-site], .title[data-site]")) {
      this.instead.set(Number(row.dataset.site), row);
    }
  }

  of(site: number): HTMLElement[] {
    let rows = this.cache.get(site);
    if (!rows) this.cache.set(site, (rows = this.find(site)));
    return rows;
  }

  /** More rows are on the page than before. */
  forget(): void {
    this.cache.clear();
  }

  private find(site: number): HTMLElement[] {
    const entry = this.model.data.sites[site];
    if (!entry) return [];
    const [source, first, last, , kind] = entry;
    // A loop or branch is its header: marking the body as well would say nothing.
    const end = kind === "loop" || kind === "branch" ? first : last;
    const rows: HTMLElement[] = [];
    for (let line = first; line <= end; ++line) {
      for (const id of [`s${source}-${line}`, `s${source}-${line}r`]) {
        const row = document.getElementById(id);
        if (row?.classList.contains("code")) rows.push(row);
      }
    }
    // The last: in raw view the title block is there as well as its line.
    const instead = this.instead.get(site);
    return instead ? [...rows, instead] : rows;
  }

  /** The statement of this step, and the ones that its callers are at. */
  mark(step: number): void {
    const now = this.of(this.model.site(step));
    const callers = this.model.callersOf(step).flatMap((site) => this.of(site));
    this.marked = change(this.marked, now, "now");
    this.calling = change(this.calling, callers, "calling");
  }

  /** Marks the row that stands for the step where none of its own is seen. Returns the row that is. */
  follow(step: number): HTMLElement | undefined {
    const row = this.visible(this.model.site(step));
    if (row && !this.marked.includes(row)) this.marked = change(this.marked, [...this.marked, row], "now");
    return row;
  }

  /** The first visible row of a statement or, where the view has none of it, the nearest one before it in its function. */
  visible(site: number): HTMLElement | undefined {
    return this.of(site).find(isVisible) ?? this.before(site);
  }

  private before(site: number): HTMLElement | undefined {
    const [source, first] = this.model.data.sites[site]!;
    const around = this.model.data.functions.filter((fn) => fn[1] === source && fn[2] <= first && first <= fn[3]);
    const begin = Math.max(1, ...around.map((fn) => fn[2]));
    for (let line = first - 1; line >= begin; --line) {
      const row = document.getElementById(`s${source}-${line}`);
      if (row && isVisible(row)) return row;
    }
    return undefined;
  }
}

function isVisible(row: HTMLElement): boolean {
  return row.getClientRects().length > 0 && unfolded(row);
}

function change(old: HTMLElement[], next: HTMLElement[], name: string): HTMLElement[] {
  const kept = new Set(next);
  for (const row of old) {
    if (kept.has(row)) continue;
    row.classList.remove(name);
    if (name === "now") row.removeAttribute("aria-current");
  }
  for (const row of kept) {
    row.classList.add(name);
    if (name === "now") row.setAttribute("aria-current", "step");
  }
  return next;
}
