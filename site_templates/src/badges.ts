// Which values stand beside a statement: those of one activation of its function (the one that the page shows, one that is
// still running, or the last to have ended), and none from before the current passes of the loops around the statement. What
// stands there without script follows the same rules (engine/site/final_badges.h).

import { lastAtMost } from "./columns";
import type { Model } from "./model";

export class Badges {
  /** Statements that have values or claims. */
  readonly sites: readonly number[];
  /** Steps with values or claims, and steps before a pass of a loop; both by activation and site. */
  private readonly shown = new Map<number, number[]>();
  private readonly passes = new Map<number, number[]>();
  /** By function, its activations that are not within another one of it: their first steps and numbers. */
  private readonly outermost = new Map<number, { steps: number[]; activations: number[] }>();
  /** By site, the innermost loop of its function around it; -1: none. */
  private readonly loops: number[] = [];
  private readonly functions = new Map<number, number>();
  private step = 0;
  private current = new Map<number, number>();

  constructor(private readonly model: Model) {
    this.sites = model.chipped.flatMap((steps, site) => (steps.length > 0 ? [site] : []));
    this.findLoops();
    this.followActivations();
    for (const site of this.sites) {
      for (const step of model.chipped[site]!) add(this.shown, this.key(model.activation[step]!, site), step);
    }
  }

  private key(activation: number, site: number): number {
    return activation * this.model.data.sites.length + site;
  }

  private findLoops(): void {
    const open = new Map<number, { site: number; last: number }[]>();
    this.model.data.sites.forEach(([, , , fn, , , body = 0], site) => {
      let around = open.get(fn);
      if (!around) open.set(fn, (around = []));
      while (around.length > 0 && around.at(-1)!.last < site) around.pop();
      this.loops.push(around.at(-1)?.site ?? -1);
      if (body > 0) around.push({ site, last: site + body });
    });
  }

  private followActivations(): void {
    const { data, activation } = this.model;
    const before = new Map<number, number>();
    for (let step = 0; step <= this.model.last; ++step) {
      const own = activation[step]!;
      const site = data.at[step]!;
      const previous = before.get(own);
      if (previous === undefined) this.begin(own, data.sites[site]![3], step);
      else {
        const loop = data.at[previous]!;
        if (site > loop && site <= loop + (data.sites[loop]![6] ?? 0)) add(this.passes, this.key(own, loop), previous);
      }
      before.set(own, step);
    }
  }

  private begin(activation: number, fn: number, step: number): void {
    this.functions.set(activation, fn);
    for (let at = this.model.parents[activation]!; at >= 0; at = this.model.parents[at]!) {
      if (this.functions.get(at) === fn) return;
    }
    let list = this.outermost.get(fn);
    if (!list) this.outermost.set(fn, (list = { steps: [], activations: [] }));
    list.steps.push(step);
    list.activations.push(activation);
  }

  /** Prepares at() for a step, seen from an activation that is running at it. */
  look(step: number, from: number): void {
    this.step = step;
    this.current = new Map();
    for (const start of [from, this.model.activation[step]!]) {
      for (let at = start; at >= 0; at = this.model.parents[at]!) {
        const fn = this.functions.get(at);
        if (fn !== undefined && !this.current.has(fn)) this.current.set(fn, at);
      }
    }
  }

  /** The step whose values stand beside a statement; -1: none do. */
  at(site: number): number {
    const activation = this.current.get(this.model.data.sites[site]![3]) ?? this.lastEnded(this.model.data.sites[site]![3]);
    const step = this.latest(this.shown, activation, site);
    for (let loop = this.loops[site]!; step >= 0 && loop >= 0; loop = this.loops[loop]!) {
      if (step < this.latest(this.passes, activation, loop)) return -1;
    }
    return step;
  }

  private lastEnded(fn: number): number {
    const list = this.outermost.get(fn);
    return list?.activations[lastAtMost(list.steps, this.step)] ?? -1;
  }

  private latest(steps: Map<number, number[]>, activation: number, site: number): number {
    const list = steps.get(this.key(activation, site)) ?? [];
    return list[lastAtMost(list, this.step)] ?? -1;
  }
}

function add(lists: Map<number, number[]>, key: number, step: number): void {
  const list = lists.get(key);
  if (list) list.push(step);
  else lists.set(key, [step]);
}
