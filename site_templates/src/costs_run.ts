// Questions about the costs of single steps.

import { duration, quantity } from "./costs_text";
import type { CostData } from "./costs_data";
import { lastAtMost } from "./columns";

export interface StepMemory {
  device: string;
  now: number;
  peak: number;
}

export class RunCosts {
  private readonly steps: number[][];
  private readonly entries: CostData["memory"][];
  private readonly lines = new Map<string, CostData["lines"][number]>();

  constructor(readonly data: CostData) {
    this.entries = data.devices.map((_, device) => data.memory.filter((entry) => entry[1] === device));
    this.steps = this.entries.map((entries) => entries.map(([step]) => step));
    for (const line of data.lines) this.lines.set(`${line[0]}-${line[1]}`, line);
  }

  ns(step: number): number {
    return this.data.ns[step] ?? 0;
  }
  flops(step: number): number {
    return this.data.flops[step] ?? 0;
  }
  bytes(step: number): number {
    return this.data.bytes[step] ?? 0;
  }

  /** On each device, with the peak within the step. */
  memory(step: number): StepMemory[] {
    return this.data.devices.map((device, index) => {
      const [at = -1, , now = 0, peak = 0] = this.entries[index]![lastAtMost(this.steps[index]!, step)] ?? [];
      return { device, now, peak: at === step ? peak : now };
    });
  }

  line(source: number, line: number): CostData["lines"][number] | undefined {
    return this.lines.get(`${source}-${line}`);
  }

  /** Of steps from `first` to `last` the one that cost most. */
  costliest(first: number, last: number): number {
    let most = first;
    for (let step = first + 1; step <= last; ++step) {
      const more = this.ns(step) - this.ns(most) || this.flops(step) - this.flops(most);
      if (more > 0) most = step;
    }
    return most;
  }

  words(step: number): string {
    const flops = this.flops(step);
    const bytes = this.bytes(step);
    return [
      ...(this.data.ns.length > 0 ? [duration(this.ns(step))] : []),
      ...(flops > 0 ? [quantity(flops, "FLOP")] : []),
      ...(bytes > 0 ? [`${quantity(bytes, "B")} moved`] : []),
      ...this.memory(step).map(({ device, now, peak }) => `${device} ${quantity(now, "B")}${peak > now ? `, peak ${quantity(peak, "B")}` : ""}`),
    ].join(" · ");
  }
}
