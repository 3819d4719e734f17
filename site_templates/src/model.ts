// What happened when: everything the page asks about the recorded run, computed once from the columns of PageData.
// Afterwards a question costs a binary search at most, except the way out of a function: a walk over its own steps.

import type { PageData } from "./data";

export interface Frame {
  activation: number;
  /** The function's name as shown. */
  name: string;
  line: number;
  /** The site at which this frame stands. */
  site: number;
}

export interface Variable {
  name: string;
  value: number;
  state: "" | "new" | "changed";
}

/** What one activation of a function inspected: per name the steps and the values (-1: cleared), in order. */
type History = Map<string, { steps: number[]; values: number[] }>;

/** Index of the last element of an ascending list that is at most `limit`; -1 if there is none. */
export function lastAtMost(list: ArrayLike<number>, limit: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (list[middle]! <= limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

export class Model {
  readonly count: number;
  readonly last: number;
  /** Steps of each site that began a statement (not the ones after a call), ascending. */
  readonly executions: readonly number[][];
  /** Steps of each site at which it showed something, had values or claims. */
  readonly showings: readonly number[][];
  readonly chipped: readonly number[][];
  private readonly depth: Int32Array;
  private readonly activation: Int32Array;
  /** Which execution of its statement, within its activation, from 1. */
  readonly pass: Int32Array;
  /** Whether it is the second step of a statement, after its call returned. */
  readonly after: boolean[];
  /** The step that follows each one when calls are stepped over, and the one before it; -1: none. */
  readonly over: Int32Array;
  readonly overBack: Int32Array;
  private readonly parents: number[] = [];
  private readonly ordinals: number[] = [];
  private readonly histories: History[] = [];

  constructor(readonly data: PageData) {
    const { at, sites, stacks } = data;
    this.count = at.length;
    this.last = at.length - 1;
    this.executions = sites.map(() => []);
    this.showings = sites.map(() => []);
    this.chipped = sites.map(() => []);
    this.depth = new Int32Array(this.count);
    this.activation = new Int32Array(this.count);
    this.pass = new Int32Array(this.count);
    this.after = new Array<boolean>(this.count).fill(false);
    for (const step of data.after) this.after[step] = true;

    const stackDepth = stacks.map(() => 1);
    stacks.forEach(([parent], stack) => {
      if (parent >= 0) stackDepth[stack] = stackDepth[parent]! + 1;
    });
    data.in.forEach((stack, step) => (this.depth[step] = stackDepth[stack]!));

    this.trackActivations();
    this.countPasses();
    this.over = this.nearestOutsideCalls(1);
    this.overBack = this.nearestOutsideCalls(-1);
  }

  /** Gives every step the activation of a function that it belongs to. */
  private trackActivations(): void {
    const { data } = this;
    const current: number[] = [];
    const begun = new Map<number, number>();
    for (let step = 0; step < this.count; ++step) {
      const depth = this.depth[step]!;
      const entered = data.enter[step] ?? 0;
      current.length = Math.min(current.length, Math.max(0, depth - entered));
      if (current.length < depth) {
        const functions: number[] = [];
        for (let stack = data.in[step]!; stack >= 0 && functions.length < depth; stack = data.stacks[stack]![0]) {
          functions.push(data.stacks[stack]![2]);
        }
        functions.reverse();
        while (current.length < depth) {
          const fn = functions[current.length]!;
          const ordinal = (begun.get(fn) ?? 0) + 1;
          begun.set(fn, ordinal);
          this.parents.push(current.length > 0 ? current[current.length - 1]! : -1);
          this.ordinals.push(ordinal);
          this.histories.push(new Map());
          current.push(this.parents.length - 1);
        }
      }
      this.activation[step] = current[depth - 1]!;
    }
    this.recordVariables();
  }

  private recordVariables(): void {
    const { vars, clear } = this.data;
    const note = (step: number, name: string, value: number): void => {
      const history = this.histories[this.activation[step]!]!;
      let events = history.get(name);
      if (!events) history.set(name, (events = { steps: [], values: [] }));
      events.steps.push(step);
      events.values.push(value);
    };
    const steps = new Set([...Object.keys(vars), ...Object.keys(clear)].map(Number));
    for (const step of [...steps].sort((a, b) => a - b)) {
      for (const [name, value] of vars[step] ?? []) note(step, name, value);
      for (const name of clear[step] ?? []) note(step, name, -1);
    }
  }

  /** Numbers the executions of each statement within its activation. */
  private countPasses(): void {
    const { at, sites, vars, claims, show } = this.data;
    const counts = new Map<number, number>();
    for (let step = 0; step < this.count; ++step) {
      const site = at[step]!;
      const key = this.activation[step]! * sites.length + site;
      const before = counts.get(key) ?? 0;
      if (this.after[step] && before > 0) {
        this.pass[step] = before;
      } else {
        counts.set(key, (this.pass[step] = before + 1));
        this.executions[site]!.push(step);
      }
      if (vars[step] || claims[step] !== undefined) this.chipped[site]!.push(step);
      if (show[step] !== undefined) this.showings[site]!.push(step);
    }
  }

  /** For each step the nearest one in a direction that is not in a call by it. */
  private nearestOutsideCalls(direction: 1 | -1): Int32Array {
    const nearest = new Int32Array(this.count).fill(-1);
    const candidates: number[] = [];
    for (let step = direction > 0 ? this.last : 0; step >= 0 && step < this.count; step -= direction) {
      while (candidates.length > 0 && this.depth[candidates.at(-1)!]! > this.depth[step]!) candidates.pop();
      nearest[step] = candidates.at(-1) ?? -1;
      candidates.push(step);
    }
    return nearest;
  }

  /** The first step after this function returned; -1 if it never did. */
  out(step: number): number {
    let next = this.over[step]!;
    while (next >= 0 && this.depth[next]! >= this.depth[step]!) next = this.over[next]!;
    return next;
  }

  site(step: number): number {
    return this.data.at[step]!;
  }
  /** Which activation of its function it belongs to, from 1. */
  activationOrdinal(step: number): number {
    return this.ordinals[this.activation[step]!]!;
  }
  functionName(step: number): string {
    return this.data.stacks[this.data.in[step]!]![3];
  }

  /** The call stack of a step, outermost frame first. */
  frames(step: number): Frame[] {
    const { data } = this;
    const frames: Frame[] = [];
    let site = data.at[step]!;
    let activation = this.activation[step]!;
    for (let stack = data.in[step]!; stack >= 0; ) {
      const [parent, call, , name] = data.stacks[stack]!;
      frames.push({ activation, name, line: data.sites[site]?.[1] ?? 0, site });
      site = call;
      activation = this.parents[activation] ?? -1;
      stack = parent;
    }
    return frames.reverse();
  }

  /** The variables of an activation as they were at a step; what happened after `since` is marked. */
  variables(activation: number, step: number, since: number): Variable[] {
    const result: Variable[] = [];
    for (const [name, { steps, values }] of this.histories[activation] ?? []) {
      const index = lastAtMost(steps, step);
      if (index < 0 || values[index]! < 0) continue;
      const value = values[index]!;
      let state: Variable["state"] = "";
      if (steps[index]! > since) {
        const before = lastAtMost(steps, since);
        const old = before < 0 ? -1 : values[before]!;
        state = old < 0 ? "new" : old === value ? "" : "changed";
      }
      result.push({ name, value, state });
    }
    return result;
  }

  /** The step named by a statement's identity, pass and activation; -1 if this run has none. */
  find(identity: string, pass: number, activation: number, after: boolean): number {
    const site = this.data.sites.findIndex((entry) => entry[5] === identity);
    if (site < 0) return -1;
    const begin = this.executions[site]!.find(
      (step) => this.pass[step] === pass && this.ordinals[this.activation[step]!] === activation,
    );
    if (begin === undefined) return -1;
    if (!after) return begin;
    for (let step = begin; step >= 0; step = this.over[step]!) {
      if (this.activation[step] !== this.activation[begin] || this.depth[step]! < this.depth[begin]!) break;
      if (this.data.at[step] === site && this.after[step] && this.pass[step] === pass) return step;
    }
    return begin;
  }

  /** How often these statements ran, together. */
  timesRan(sites: readonly number[]): number {
    return sites.reduce((sum, site) => sum + this.executions[site]!.length, 0);
  }

  /** The next execution of any of these sites from a step in a direction; wraps around. Undefined if none ever ran. */
  nextExecution(sites: readonly number[], step: number, direction: 1 | -1): { step: number; wrapped: boolean } | undefined {
    const steps = sites.flatMap((site) => this.executions[site]!).sort((a, b) => a - b);
    const near = steps[direction > 0 ? lastAtMost(steps, step) + 1 : lastAtMost(steps, step - 1)];
    if (near !== undefined) return { step: near, wrapped: false };
    const end = steps.at(direction > 0 ? 0 : -1);
    return end === undefined ? undefined : { step: end, wrapped: true };
  }
}
