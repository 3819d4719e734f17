// Two pages of a lecture's runs in frames, stepped together: which of them its reader steps, the other follows.

import { asMessage, isAction, isStep, type ToFrame } from "./frame_messages";
import type { Action } from "./keys";
import { isOfThisSite, tell } from "./same_site";

export type Side = 0 | 1;
export const opposite = (side: Side): Side => (side === 0 ? 1 : 0);

interface Run {
  frame: HTMLIFrameElement;
  /** How many steps it has. */
  count: number;
  /** The other run's step that goes with one of this run; -1: none. */
  beside: (step: number) => number;
}

interface Around {
  /** The reader went to a step of a side, which has this link. `alone`: the other side has none that goes with it, and stays. */
  moved?: (side: Side, link: string, alone: boolean) => void;
  act?: (action: Action, side: Side) => void;
}

export function goHome(): void {
  location.assign(document.querySelector<HTMLAnchorElement>("a.mark")!.href);
}

const isLink = (link: unknown): link is string => typeof link === "string" && /^#step=[^\s#]{1,2000}$/.test(link);

export class SideBySide {
  /** The steps that are shown; -1: none yet. */
  readonly at: [number, number] = [-1, -1];

  constructor(
    private readonly runs: readonly [Run, Run],
    private readonly around: Around = {},
  ) {
    addEventListener("message", (event) => this.hear(event));
    // Those that are ready already; the others will say so.
    for (const side of [0, 1] as const) this.send(side, { lectern: "go", step: -1 });
  }

  go(side: Side, step: number): void {
    this.at[side] = step;
    this.send(side, { lectern: "go", step });
  }

  send(side: Side, message: ToFrame): void {
    tell(this.runs[side].frame.contentWindow!, message);
  }

  private hear(event: MessageEvent): void {
    const side = ([0, 1] as const).find((each) => event.source === this.runs[each].frame.contentWindow);
    if (side === undefined || !isOfThisSite(event)) return;
    const { lectern, step, link, action } = asMessage(event.data);
    if (lectern === "ready") this.send(side, { lectern: "go", step: this.at[side] });
    if (lectern === "act" && action === "home") goHome();
    else if (lectern === "act" && isAction(action)) this.around.act?.(action, side);
    if (lectern !== "at" || !isStep(step, this.runs[side].count) || !isLink(link)) return;
    this.at[side] = step;
    const other = this.runs[side].beside(step);
    if (other >= 0) this.go(opposite(side), other);
    this.around.moved?.(side, link, other < 0);
  }
}
