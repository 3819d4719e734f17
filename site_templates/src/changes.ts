// When each variable of a function got another value, in all calls of it: for its history, and to stop there.

import { inOrder, lastAtMost } from "./columns";
import type { Model } from "./model";

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

  /** Every variable, with how many values it had. */
  all(): { fn: number; name: string; count: number }[] {
    this.index ??= this.build();
    return [...this.index].flatMap(([fn, names]) => [...names].map(([name, { steps }]) => ({ fn, name, count: steps.length })));
  }

  /** The names of what a step gave that is new or other than before. */
  changedAt(step: number): string[] {
    const fn = this.model.functionOf(this.model.activationOf(step));
    const names = this.model.data.vars.of(step).map(([name]) => name);
    return names.filter((name) => holds(this.of(fn, name).steps, step));
  }

  /** In one walk over what was recorded. */
  private build(): Map<number, Map<string, Changes>> {
    const { model } = this;
    const { vars, clear } = model.data;
    const index = new Map<number, Map<string, Changes>>();
    const current = new Map<number, Map<string, number>>();
    inOrder([vars, clear], (step, name, value) => {
      const activation = model.activationOf(step);
      const values = entry(current, activation, () => new Map<string, number>());
      if (value < 0) return void values.delete(name);
      if (values.get(name) === value) return;
      values.set(name, value);
      const names = entry(index, model.functionOf(activation), () => new Map<string, Changes>());
      const changes = entry(names, name, () => ({ steps: [], values: [] }));
      changes.steps.push(step);
      changes.values.push(value);
    });
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
