// Where a run stops: at lines, and when a variable changes.

import { holds, type ChangeIndex } from "./changes";
import { lastAtMost } from "./columns";
import type { Model } from "./model";
import { rowsCame } from "./source_rows";

export class Breakpoints {
  /** By source and line: the statements there. */
  private readonly lines = new Map<string, readonly number[]>();
  /** By function and name. */
  private readonly variables = new Map<string, { fn: number; name: string }>();
  /** Called when one was set or removed. */
  changed: () => void = () => {};

  constructor(
    private readonly model: Model,
    private readonly index: ChangeIndex,
  ) {
    document.addEventListener(rowsCame, () => this.lines.forEach((_, id) => mark(id, true)));
  }

  get size(): number {
    return this.lines.size + this.variables.size;
  }

  has(source: number, line: number): boolean {
    return this.lines.has(`${source}-${line}`);
  }
  watches(fn: number, name: string): boolean {
    return this.variables.has(`${fn}/${name}`);
  }

  toggleLine(source: number, line: number, sites: readonly number[]): void {
    const id = `${source}-${line}`;
    if (!this.lines.delete(id)) this.lines.set(id, sites);
    mark(id, this.lines.has(id));
    this.changed();
  }

  toggleVariable(fn: number, name: string): void {
    const id = `${fn}/${name}`;
    if (!this.variables.delete(id)) this.variables.set(id, { fn, name });
    this.changed();
  }

  clear(): void {
    for (const id of this.lines.keys()) mark(id, false);
    this.lines.clear();
    this.variables.clear();
    this.changed();
  }

  /** The nearest step in a direction at which to stop; -1: none. */
  next(from: number, direction: 1 | -1): number {
    let nearest = -1;
    for (const steps of this.stops()) {
      const step = steps[direction > 0 ? lastAtMost(steps, from) + 1 : lastAtMost(steps, from - 1)];
      if (step !== undefined && (nearest < 0 || direction * (nearest - step) > 0)) nearest = step;
    }
    return nearest;
  }

  /** Why a run stops at a step; empty when it does not. */
  reason(step: number): string {
    const [, line] = this.model.data.sites[this.model.site(step)]!;
    for (const sites of this.lines.values()) {
      if (sites.some((site) => holds(this.model.executions[site]!, step))) return `Stopped at line ${line}.`;
    }
    for (const { fn, name } of this.variables.values()) {
      if (holds(this.index.of(fn, name).steps, step)) return `Stopped at line ${line}: ${name} has another value.`;
    }
    return "";
  }

  private *stops(): Generator<readonly number[]> {
    for (const sites of this.lines.values()) for (const site of sites) yield this.model.executions[site]!;
    for (const { fn, name } of this.variables.values()) yield this.index.of(fn, name).steps;
  }
}

/** Marks the number of a line, as code and as what stands in its place. */
function mark(id: string, on: boolean): void {
  for (const row of [document.getElementById(`s${id}`), document.getElementById(`s${id}r`)]) {
    row?.classList.toggle("break", on);
    const number = row?.querySelector(":scope > a.n");
    if (on) number?.setAttribute("aria-label", `${number.textContent}, breakpoint`);
    else number?.removeAttribute("aria-label");
  }
}
