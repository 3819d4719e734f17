// Gradual reveal: rows that the run has not reached yet keep their place but are not seen.
//
// A row with statements is reached when the first of them ran. One without (a brace, a comment, a declaration) goes with
// the row above it in its function, the head of a function with its first statement; what stands outside functions is
// always there. The heading of a fold goes with its first row; a work or a term with the first row that refers to it.

import { lastAtMost } from "./columns";
import type { Model } from "./model";

export class Reveal {
  private order: { step: number; row: HTMLElement }[] = [];
  private steps: number[] = [];
  private shown = 0;
  on = false;

  constructor(private readonly model: Model) {}

  toggle(step: number): void {
    this.on = !this.on;
    if (this.on) {
      if (this.order.length === 0) this.collect();
      this.shown = lastAtMost(this.steps, step) + 1;
      this.order.forEach(({ row }, index) => row.classList.toggle("ahead", index >= this.shown));
    } else {
      for (const { row } of this.order) row.classList.remove("ahead");
    }
  }

  /** Touches only the rows between the old place and the new one. */
  update(step: number): void {
    if (!this.on) return;
    const shown = lastAtMost(this.steps, step) + 1;
    for (let index = this.shown; index < shown; ++index) this.order[index]!.row.classList.remove("ahead");
    for (let index = shown; index < this.shown; ++index) this.order[index]!.row.classList.add("ahead");
    this.shown = shown;
  }

  /** More rows are on the page than before. */
  renew(step: number): void {
    const { on } = this;
    if (on) this.toggle(step);
    this.order = [];
    if (on) this.toggle(step);
  }

  private collect(): void {
    const { sites, functions } = this.model.data;
    const firstOnLine = new Map<string, number>();
    const firstOfSite = new Map<number, number>();
    sites.forEach(([source, line], site) => {
      const first = this.model.executions[site]![0];
      if (first === undefined) return;
      firstOfSite.set(site, first);
      const key = `${source}:${line}`;
      firstOnLine.set(key, Math.min(first, firstOnLine.get(key) ?? Infinity));
    });
    document.querySelectorAll<HTMLElement>(".source").forEach((section) => {
      const source = Number(section.dataset.source);
      const spans = functions.filter((fn) => fn[1] === source);
      let inside: (typeof spans)[number] | undefined;
      let reached = 0;
      let heads: HTMLElement[] = [];
      const add = (row: HTMLElement, step: number): void => this.add(row, step);
      for (const row of section.querySelectorAll<HTMLElement>(".row")) {
        const line = row.dataset.line === undefined ? undefined : Number(row.dataset.line);
        if (line !== undefined) {
          const fn = innermost(spans, line);
          if (fn !== inside) {
            for (const head of heads) add(head, reached);
            heads = [];
            inside = fn;
            reached = fn ? -1 : 0;
          }
        }
        const site = row.dataset.site === undefined ? undefined : firstOfSite.get(Number(row.dataset.site));
        const first = site ?? (line === undefined ? undefined : firstOnLine.get(`${source}:${line}`));
        if (first !== undefined) {
          for (const head of heads) add(head, first);
          heads = [];
          reached = first;
          add(row, first);
        } else if (reached < 0) heads.push(row);
        else add(row, reached);
      }
      // Functions that never ran appear at the end of the run.
      for (const head of heads) add(head, this.model.last);
    });
    this.collectOthers();
    this.order.sort((a, b) => a.step - b.step);
    this.steps = this.order.map(({ step }) => step);
  }

  private add(row: HTMLElement, step: number): void {
    this.order.push({ step, row });
  }

  private collectOthers(): void {
    const steps = new Map<Element, number>(this.order.map(({ row, step }) => [row, step]));
    const stepOf = (row?: Element | null): number => (row ? steps.get(row) : undefined) ?? this.model.last;
    for (const heading of document.querySelectorAll<HTMLElement>(".fold > summary")) {
      this.add(heading, stepOf(heading.parentElement!.querySelector(".row")));
    }
    for (const section of document.querySelectorAll(".references, .terms")) {
      const entries = [...section.querySelectorAll<HTMLElement>(":scope > ol > li, :scope > dl > dd")];
      const reached = entries.map(({ id }) => stepOf(document.querySelector(`.ref[href="#${CSS.escape(id)}"]`)?.closest(".row")));
      entries.forEach((entry, at) => this.add(entry, reached[at]!));
      for (const term of section.querySelectorAll("dt")) this.add(term, reached[entries.indexOf(term.nextElementSibling as HTMLElement)]!);
      this.add(section.querySelector("h2")!, Math.min(...reached));
    }
  }
}

function innermost<T extends [string, number, number, number]>(spans: readonly T[], line: number): T | undefined {
  let best: T | undefined;
  for (const span of spans) {
    if (span[2] <= line && line <= span[3] && (!best || span[3] - span[2] < best[3] - best[2])) best = span;
  }
  return best;
}
