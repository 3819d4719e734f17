// Columns of numbers and tables of them, as steps.js has them: texts, decoded in one walk without an object for each entry.

import type { Column } from "./data";

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const digitOf = new Int8Array(128);
for (let digit = 0; digit < digits.length; ++digit) digitOf[digits.charCodeAt(digit)] = digit;

/** The numbers of a column: of each its difference from the one before, as base 64 VLQ (engine/site/number_column.h). */
export function decode(column: Column): Int32Array {
  let count = 0;
  for (let i = 0; i < column.length; ++i) if (digitOf[column.charCodeAt(i)]! < 32) ++count;
  const numbers = new Int32Array(count);
  let at = 0;
  for (let index = 0, number = 0; index < count; ++index) {
    let quantity = 0;
    for (let shift = 0, more = true; more; shift += 5) {
      const digit = digitOf[column.charCodeAt(at++)]!;
      quantity += (digit & 31) * 2 ** shift;
      more = digit >= 32;
    }
    number += quantity % 2 === 0 ? quantity / 2 : -(quantity - 1) / 2;
    numbers[index] = number;
  }
  return numbers;
}

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

/** Numbers that some steps have. */
export class StepNumbers {
  readonly steps: Int32Array;
  private readonly numbers: Int32Array;

  constructor(data: { steps: Column; numbers: Column }) {
    this.steps = decode(data.steps);
    this.numbers = decode(data.numbers);
  }

  of(step: number): number | undefined {
    const index = lastAtMost(this.steps, step);
    return this.steps[index] === step ? this.numbers[index] : undefined;
  }
}

/** Names with values that some steps have, in order: an entry for each, so that a step may have several. */
export class Bindings {
  readonly steps: Int32Array;
  private readonly numbers: Int32Array;
  readonly values: Int32Array;

  constructor(
    data: { steps: Column; names: Column; values: Column },
    private readonly names: readonly string[],
  ) {
    this.steps = decode(data.steps);
    this.numbers = decode(data.names);
    this.values = decode(data.values);
  }

  name(entry: number): string {
    return this.names[this.numbers[entry]!]!;
  }
  has(step: number): boolean {
    return this.steps[lastAtMost(this.steps, step)] === step;
  }
  of(step: number): [string, number][] {
    const entries: [string, number][] = [];
    for (let entry = lastAtMost(this.steps, step); this.steps[entry] === step; --entry) entries.push([this.name(entry), this.values[entry]!]);
    return entries.reverse();
  }
}

/** Visits the entries of several tables in the order of their steps; at one step those of the first table come first. */
export function inOrder(tables: readonly Bindings[], visit: (step: number, name: string, value: number) => void): void {
  const next = tables.map(() => 0);
  for (;;) {
    let first = -1;
    let step = Infinity;
    for (let table = 0; table < tables.length; ++table) {
      const at = tables[table]!.steps[next[table]!];
      if (at === undefined || at >= step) continue;
      first = table;
      step = at;
    }
    if (first < 0) return;
    const entry = next[first]!++;
    visit(step, tables[first]!.name(entry), tables[first]!.values[entry]!);
  }
}
