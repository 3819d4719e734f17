// What the run cost: costs.js beside the page, one call, `lecternCosts({...})`, written by engine/site/costs.cpp. It is
// loaded when the page has started, so that stepping does not wait for it. A page whose run has no costs has no such file, no
// section `details.costs` and no button for them.

import { loadBeside } from "./beside_page";

/** Times are in nanoseconds, memory in bytes. */
export interface CostData {
  devices: string[];
  /** By step; empty when the run was not timed. */
  ns: number[];
  flops: Record<string, number>;
  /** Moved. */
  bytes: Record<string, number>;
  /** Steps that changed it: [step, device, now, peak within the step]; in the order of the steps. */
  memory: [number, number, number, number][];
  /** [source, line, runs, time with calls, time without, FLOPs, bytes, peak by device, whether the page hides it] */
  lines: [number, number, number, number, number, number, number, number[], 0 | 1][];
}

/** Calls back once they are there; on a page whose costs.js is missing, never. */
export async function loadCosts(then: (data: CostData) => void): Promise<void> {
  const data = await loadBeside<CostData>("costs.js", "lecternCosts", "What each step cost");
  if (data) then(data);
}
