// What the page of a lecture in a frame and the page around it, of the same site, tell each other (framed.ts, side_by_side.ts).

import { table, type Action } from "./keys";

/** From the lecture's page: it can be led now; its reader went to a step, which has this link; a key that is for the page around. */
export type FromFrame = { lectern: "ready" } | { lectern: "at"; step: number; link: string } | { lectern: "act"; action: Action };

/** From the page around: it is there, and the step to show, if it is one of the lecture; a key that was pressed there. */
export type ToFrame = { lectern: "go"; step: number } | { lectern: "act"; action: Action };

/** Keys that lead away from both pages. */
export const outward: readonly Action[] = ["device", "beside", "home"];

/** A message is data until it is known to be one of these. */
export function asMessage(data: unknown): Partial<Record<"lectern" | "step" | "link" | "action", unknown>> {
  return typeof data === "object" && data !== null ? data : {};
}

export function isStep(step: unknown, count: number): step is number {
  return Number.isInteger(step) && (step as number) >= 0 && (step as number) < count;
}

export function isAction(action: unknown): action is Action {
  return table.some(([, known]) => known === action);
}
