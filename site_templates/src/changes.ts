// When each variable of a function got another value, in all calls of it: for its history, and to stop there.

import { lastAtMost, type Model } from "./model";

/** Steps, ascending, and the values from then on. */
export interface Changes {
  steps: number[];
  values: number[];
}

const none: Changes = { steps: [], values: [] };

export class ChangeIndex {
  private index: Map<number, Map<string, Changes>> | undefined;

  constructor(private readonly model: Model) {}

  of(fn: number, name: string): Changes {
    this.index ??= this.build();
    return this.index.get(fn)?.get(name) ?? none;
  }

  /** The names of what a step gave that is new or other than before. */
  changedAt(step: number): string[] {
    const fn = this.model.functionOf(this.model.activationOf(step));
    const names = (this.model.data.vars[step] ?? []).map(([name]) => name);
    return names.filter((name) => holds(this.of(fn, name).steps, step));
  }

  /** In one walk over what was recorded. */
  private build(): Map<number, Map<string, Changes>> {
    const { model } = this;
    const { vars, clear } = model.data;
    const index = new Map<number, Map<string, Changes>>();
    const current = new Map<number, Map<string, number>>();
    const steps = new Set([...Object.keys(vars), ...Object.keys(clear)].map(Number));
    for (const step of [...steps].sort((a, b) => a - b)) {
      const activation = model.activationOf(step);
      const values = entry(current, activation, () => new Map<string, number>());
      const names = entry(index, model.functionOf(activation), () => new Map<string, Changes>());
      for (const [name, value] of vars[step] ?? []) {
        if (values.get(name) === value) continue;
        values.set(name, value);
        const changes = entry(names, name, () => ({ steps: [], values: [] }));
        changes.steps.push(step);
        changes.values.push(value);
      }
      for (const name of clear[step] ?? []) values.delete(name);
    }
    return index;
  }
}

/** Whether an ascending list has a step. */
export function holds(steps: readonly number[], step: number): boolean {
  return steps[lastAtMost(steps, step)] === step;
}

function entry<Key, Value>(map: Map<Key, Value>, key: Key, makeValue: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = makeValue()));
  return value;
}
