// Permanent links to steps: #step=IDENTITY/PASS.ACTIVATION@NUMBER. The statement and the pass are looked up first, so that
// a link survives edits elsewhere; the step's number, from 1, is what remains when they are gone. "+" after the activation
// means the second step of a statement, after its call returned. #step=NUMBER alone works too.
//
// A line with a statement has a link of the same kind, #line=IDENTITY@s0-12: the statement, else the line of that number.

import type { Model } from "./model";

export type Target =
  | { kind: "none" }
  | { kind: "step"; step: number; message?: string }
  | { kind: "line"; row: HTMLElement; message?: string }
  | { kind: "bad"; message: string };

export function linkTo(model: Model, step: number): string {
  const identity = encodeURIComponent(model.data.sites[model.site(step)]![5]);
  const after = model.after[step]! ? "+" : "";
  return `#step=${identity}/${model.pass[step]!}.${model.activationOrdinal(step)}${after}@${step + 1}`;
}

/** Of the line that has this id, by a statement on it. */
export function linkToLine(model: Model, site: number, id: string): string {
  return `#line=${encodeURIComponent(model.data.sites[site]![5])}@${id}`;
}

function resolveLine(model: Model, text: string): Target {
  const [, identity = "", id = ""] = /^(.*?)(?:@(s\d+-\d+))?$/.exec(text) ?? [];
  const site = model.data.sites.find((entry) => entry[5] === decode(identity));
  const row = site && document.getElementById(`s${site[0]}-${site[1]}`);
  if (row) return { kind: "line", row };
  const gone = "The statement that this link names is not in this version of the lecture";
  const there = id === "" ? null : document.getElementById(id);
  return there ? { kind: "line", row: there, message: `${gone}. This is the line that had its number.` } : { kind: "bad", message: `${gone}.` };
}

/** What an address asks for. Never throws: addresses are typed, cut and mended by hand. */
export function resolve(model: Model, hash: string): Target {
  if (hash.startsWith("#line=")) return resolveLine(model, hash.slice("#line=".length));
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

/** Whether the statement that a link to a step names is one of this run's. */
export function hasStatement(model: Model, link: string): boolean {
  const [, identity = ""] = /^#step=(.+)\/\d+\.\d+/.exec(link) ?? [];
  return model.data.sites.some((site) => site[5] === decode(identity));
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Milliseconds: a reader who steps is not waiting for the address. */
const rest = 300;

/** Keeps the address bar up to date. Browsers refuse too many updates, and each costs one a step, so steps in quick succession are written once. */
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
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.flush(), rest);
  }

  /** A jump begins: Back returns to where the reader really is, though the address may name no step. */
  leaving(): void {
    this.flush();
    history.replaceState({ step: this.step() }, "");
  }

  /** A jump: an entry of its own, so that Back returns from it. */
  jumped(): void {
    this.drop();
    history.pushState(null, "", linkTo(this.model, this.step()));
  }

  /** Writes what is still to be written. */
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
