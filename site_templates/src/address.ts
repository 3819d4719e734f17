// Permanent links to steps: #step=IDENTITY/PASS.ACTIVATION@NUMBER. The statement and the pass are looked up first, so that
// a link survives edits elsewhere; the step's number, from 1, is what remains when they are gone. "+" after the activation
// means the second step of a statement, after its call returned. #step=NUMBER alone works too.

import type { Model } from "./model";

export type Target =
  | { kind: "none" }
  | { kind: "step"; step: number; message?: string }
  | { kind: "bad"; message: string };

export function linkTo(model: Model, step: number): string {
  const identity = encodeURIComponent(model.data.sites[model.site(step)]![5]);
  const after = model.after[step]! ? "+" : "";
  return `#step=${identity}/${model.pass[step]!}.${model.activationOrdinal(step)}${after}@${step + 1}`;
}

/** What an address asks for. Never throws: addresses are typed, cut and mended by hand. */
export function resolve(model: Model, hash: string): Target {
  if (!hash.startsWith("#step=")) return { kind: "none" };
  const text = hash.slice("#step=".length);
  const steps = `the lecture has ${model.count.toLocaleString("en")} steps`;
  const match = /^(?:(.+)\/(\d+)\.(\d+)(\+?))?(?:@?(\d+))?$/.exec(text);
  if (!match || (match[1] === undefined && match[5] === undefined)) {
    return { kind: "bad", message: "This link to a step can’t be read. The lecture is shown from its first step." };
  }
  const number = match[5] === undefined ? undefined : Number(match[5]);
  const possible = number !== undefined && number >= 1 && number <= model.count;
  if (match[1] === undefined) {
    if (possible) return { kind: "step", step: number - 1 };
    return { kind: "bad", message: `There is no step ${match[5]}: ${steps}.` };
  }
  const step = model.find(decode(match[1]), Number(match[2]), Number(match[3]), match[4] === "+");
  if (step >= 0) return { kind: "step", step };
  const gone = "The statement or the pass that this link names is not in this version of the lecture";
  if (possible) return { kind: "step", step: number - 1, message: `${gone}. This is step ${number.toLocaleString("en")}, by its number.` };
  if (number !== undefined) return { kind: "bad", message: `${gone}, and there is no step ${match[5]}: ${steps}.` };
  return { kind: "bad", message: `${gone}.` };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Keeps the address bar up to date. Browsers refuse too many updates, so steps in quick succession are written once. */
export class Address {
  private timer = 0;

  constructor(
    private readonly model: Model,
    private readonly step: () => number,
  ) {
    addEventListener("pagehide", () => this.flush());
  }

  /** A step: the same history entry. */
  moved(): void {
    if (this.timer === 0) this.timer = window.setTimeout(() => this.flush(), 250);
  }

  /** A jump: an entry of its own, so that Back returns from it. */
  jumped(): void {
    this.drop();
    history.pushState(null, "", linkTo(this.model, this.step()));
  }

  /** Writes what is still to be written: before a jump, so that Back returns to where the reader really was. */
  flush(): void {
    if (this.timer === 0) return;
    this.drop();
    history.replaceState(null, "", linkTo(this.model, this.step()));
  }

  /** Forgets what is still to be written: the address was changed by the reader. */
  drop(): void {
    clearTimeout(this.timer);
    this.timer = 0;
  }
}
