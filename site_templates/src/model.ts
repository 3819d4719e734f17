// What happened when: everything the page asks about the recorded run, computed once from the columns of PageData.
// Afterwards a question costs a binary search at most, except the way out of a function: a walk over its own steps.

import { inOrder, lastAtMost } from "./columns";
import { FragmentFiles } from "./fragment_files";
import type { RunData } from "./run_data";

export interface Frame {
  /** Its place in the stack, the outermost's being 0. */
  depth: number;
  activation: number;
  /** The function's name as shown. */
  name: string;
  line: number;
  /** The site at which this frame stands. */
  site: number;
  /** "(n = 3)", where the arguments are known; else nothing. */
  args: string;
}

export interface Variable {
  name: string;
  value: number;
  state: "" | "new" | "changed";
  /** What it was before it changed; -1 unless it is changed. */
  old: number;
}

/** Of a deep stack these frames are shown, and those between them are counted. */
const outermost = 2;
const innermost = 12;

/** What one activation of a function inspected: per name the steps and the values (-1: cleared), in order. */
type History = Map<string, { steps: number[]; values: number[] }>;

export class Model {
  readonly count: number;
  readonly last: number;
  /** Steps of each site that began a statement (not the ones after a call), ascending. */
  readonly executions: readonly number[][];
  /** Steps of each site at which it showed something, had values or claims. */
  readonly showings: readonly number[][];
  readonly chipped: readonly number[][];
  private readonly depth: Int32Array;
  readonly activation: Int32Array;
  /** Which execution of its statement, within its activation, from 1. */
  readonly pass: Int32Array;
  /** Whether it is the second step of a statement, after its call returned. */
  readonly after: boolean[];
  /** The step that follows each one when calls are stepped over, and the one before it; -1: none. */
  readonly over: Int32Array;
  readonly overBack: Int32Array;
  /** How many passes of a loop ran between the step before it and this one without being recorded. */
  readonly leftOut = new Map<number, number>();
  /** Of `data.leftOut` the activations. */
  private readonly leftOutIn: number[] = [];
  /** By activation its caller; -1: none. */
  readonly parents: number[] = [];
  /** By activation the step that has its arguments. */
  private readonly begun = new Map<number, number>();
  private readonly ordinals: number[] = [];
  /** By activation. */
  private readonly functions: number[] = [];
  /** By activation; only of those that inspected something. */
  private readonly histories = new Map<number, History>();
  readonly fragments: FragmentFiles;
  /** By stack: the distinct statements that its callers are at. Stacks that have the same ones share them. */
  private readonly callers: (readonly number[])[] = [];

  constructor(readonly data: RunData) {
    const { at, sites, stacks } = data;
    this.fragments = new FragmentFiles(data);
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

    const stackDepth = new Int32Array(stacks.parents.length).fill(1);
    stacks.parents.forEach((parent, stack) => {
      const call = stacks.calls[stack]!;
      const outer = parent < 0 ? [] : this.callers[parent]!;
      this.callers.push(call < 0 || outer.includes(call) ? outer : [...outer, call]);
      if (parent >= 0) stackDepth[stack] = stackDepth[parent]! + 1;
    });
    data.in.forEach((stack, step) => (this.depth[step] = stackDepth[stack]!));

    this.trackActivations(stackDepth);
    this.countPasses();
    this.over = this.nearestOutsideCalls(1);
    this.overBack = this.nearestOutsideCalls(-1);
  }

  /** Gives every step the activation of a function that it belongs to. */
  private trackActivations(stackDepth: ArrayLike<number>): void {
    const { data } = this;
    const current: number[] = [];
    const begun = new Map<number, number>();
    for (let step = 0; step < this.count; ++step) {
      for (let entry = data.leftOut[this.leftOutIn.length]; entry && entry[0] <= step; entry = data.leftOut[this.leftOutIn.length]) {
        const [, , stack, passes, , calls] = entry;
        this.leftOutIn.push(current[stackDepth[stack]! - 1] ?? -1);
        this.leftOut.set(step, (this.leftOut.get(step) ?? 0) + passes);
        for (const [fn, count] of calls) begun.set(fn, (begun.get(fn) ?? 0) + count);
      }
      const depth = this.depth[step]!;
      const entered = data.enter[step] ?? 0;
      current.length = Math.min(current.length, Math.max(0, depth - entered));
      if (current.length < depth) {
        const functions: number[] = [];
        for (let stack = data.in[step]!; functions.length < depth - current.length; stack = this.data.stacks.parents[stack]!) {
          functions.push(data.stacks.functions[stack]!);
        }
        for (const fn of functions.reverse()) {
          const ordinal = (begun.get(fn) ?? 0) + 1;
          begun.set(fn, ordinal);
          this.parents.push(current.length > 0 ? current[current.length - 1]! : -1);
          this.ordinals.push(ordinal);
          this.functions.push(fn);
          current.push(this.parents.length - 1);
        }
      }
      this.activation[step] = current[depth - 1]!;
    }
    this.recordVariables();
  }

  private recordVariables(): void {
    const { args, vars, left, clear } = this.data;
    const note = (step: number, name: string, value: number): void => {
      const activation = this.activation[step]!;
      let history = this.histories.get(activation);
      if (!history) this.histories.set(activation, (history = new Map()));
      let events = history.get(name);
      if (!events) history.set(name, (events = { steps: [], values: [] }));
      events.steps.push(step);
      events.values.push(value);
    };
    for (const step of args.steps) this.begun.set(this.activation[step]!, step);
    inOrder([left, args, vars, clear], note);
  }

  /** Numbers the executions of each statement within its activation. */
  private countPasses(): void {
    const { at, sites, vars, claims, show } = this.data;
    const counts = new Map<number, number>();
    let next = 0;
    for (const step of show.steps) this.showings[at[step]!]!.push(step);
    for (let step = 0; step < this.count; ++step) {
      for (; next < this.leftOutIn.length && this.data.leftOut[next]![0] <= step; ++next) {
        for (const [site, count] of this.data.leftOut[next]![4]) {
          const key = this.leftOutIn[next]! * sites.length + site;
          counts.set(key, (counts.get(key) ?? 0) + count);
        }
      }
      const site = at[step]!;
      const key = this.activation[step]! * sites.length + site;
      const before = counts.get(key) ?? 0;
      if (this.after[step] && before > 0) {
        this.pass[step] = before;
      } else {
        counts.set(key, (this.pass[step] = before + 1));
        this.executions[site]!.push(step);
      }
      if (vars.has(step) || claims.of(step) !== undefined) this.chipped[site]!.push(step);
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
  activationOf(step: number): number {
    return this.activation[step]!;
  }
  /** Index of the function that an activation is of. */
  functionOf(activation: number): number {
    return this.functions[activation] ?? -1;
  }
  functionName(step: number): string {
    return this.nameOf(this.data.in[step]!);
  }
  private nameOf(stack: number): string {
    const { names, functions } = this.data.stacks;
    return names[stack] ?? this.data.functions[functions[stack]!]![0];
  }

  /** How many frames the call stack of a step has. */
  depthOf(step: number): number {
    return this.depth[step]!;
  }

  /** The distinct statements that the callers of a step's function are at, the outermost first. */
  callersOf(step: number): readonly number[] {
    return this.callers[this.data.in[step]!]!;
  }

  /** The call stack of a step, outermost frame first; of a deep one the outermost and innermost frames. */
  frames(step: number): Frame[] {
    const { data } = this;
    const frames: Frame[] = [];
    const all = this.depth[step]!;
    let site = data.at[step]!;
    let activation = this.activation[step]!;
    let stack = data.in[step]!;
    for (let depth = all - 1; depth >= 0; --depth) {
      const shown = depth < outermost || depth >= all - innermost;
      if (shown) {
        const line = data.sites[site]?.[1] ?? 0;
        frames.push({ depth, activation, name: this.nameOf(stack), line, site, args: this.argsOf(activation) });
      }
      if (shown || depth === outermost) site = data.stacks.calls[stack]!;
      activation = this.parents[activation] ?? -1;
      stack = this.data.stacks.parents[stack]!;
    }
    return frames.reverse();
  }

  private argsOf(activation: number): string {
    const args = this.data.args.of(this.begun.get(activation) ?? -1).map(([name, value]) => `${name} = ${this.data.values.words(value)}`);
    return args.length === 0 ? "" : `(${args.join(", ")})`;
  }

  /** The variables of an activation as they were at a step; what happened after `since` is marked. */
  variables(activation: number, step: number, since: number): Variable[] {
    const result: Variable[] = [];
    for (const [name, { steps, values }] of this.histories.get(activation) ?? []) {
      const index = lastAtMost(steps, step);
      if (index < 0 || values[index]! < 0) continue;
      const value = values[index]!;
      let state: Variable["state"] = "";
      let old = -1;
      if (steps[index]! > since) {
        const before = lastAtMost(steps, since);
        old = before < 0 ? -1 : values[before]!;
        state = old < 0 ? "new" : old === value ? "" : "changed";
      }
      result.push({ name, value, state, old: state === "changed" ? old : -1 });
    }
    return result;
  }

  /** A variable's value at a step; -1: it has none. */
  valueOf(activation: number, name: string, step: number): number {
    const events = this.histories.get(activation)?.get(name);
    return events?.values[lastAtMost(events.steps, step)] ?? -1;
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
