// The passes of a statement: each time that it ran, with what it gave. Passes that were not recorded are not among them.

import { lastAtMost } from "./columns";
import type { Model } from "./model";

/** Of a statement that gives nothing, so many variables of its function are told. */
const mostOfState = 4;

export interface Pass {
  /** The step that shows what the pass gave. */
  step: number;
  /** Its first step. */
  begin: number;
  words: string;
  /** Names and values. */
  gave: string;
}

export class Passes {
  /** Of the statement asked for last: the second step of a pass, by activation and pass. */
  private after = new Map<string, number>();
  private site = -1;
  private inSeveralCalls = false;

  constructor(private readonly model: Model) {}

  /** The first steps of all passes of the statement that a step belongs to. */
  all(step: number): readonly number[] {
    return this.model.executions[this.model.site(step)]!;
  }

  /** Which of them a step belongs to, from 0; -1 when that pass is not recorded from its beginning. */
  index(step: number): number {
    const all = this.all(step);
    // After a call: others may have begun in it.
    for (let index = lastAtMost(all, step); index >= 0; --index) if (this.key(all[index]!) === this.key(step)) return index;
    return -1;
  }

  /** The first step of the pass that a step belongs to. */
  begin(step: number): number {
    return this.model.after[step]! ? (this.all(step)[this.index(step)] ?? step) : step;
  }

  /** One pass of the statement of `step`. */
  describe(step: number, index: number): Pass {
    const { model } = this;
    this.prepare(model.site(step));
    const begin = this.all(step)[index]!;
    const after = this.after.get(this.key(begin));
    const pass = `pass ${model.pass[begin]!.toLocaleString("en")}`;
    const words = this.inSeveralCalls ? `call ${model.activationOrdinal(begin).toLocaleString("en")}, ${pass}` : pass;
    return { step: after ?? begin, begin, words, gave: this.gave(begin, after) };
  }

  private key(step: number): string {
    return `${this.model.activationOf(step)}/${this.model.pass[step]!}`;
  }

  private prepare(site: number): void {
    if (site === this.site) return;
    this.site = site;
    const { model } = this;
    const begins = model.executions[site]!;
    this.after = new Map(model.chipped[site]!.filter((step) => model.after[step]).map((step) => [this.key(step), step]));
    this.inSeveralCalls = begins.some((step) => model.activationOf(step) !== model.activationOf(begins[0]!));
  }

  private gave(begin: number, after: number | undefined): string {
    const { data } = this.model;
    const steps = after === undefined || after === begin ? [begin] : [begin, after];
    const given = steps.flatMap((step) => data.vars.of(step)).map(([name, value]) => this.told(name, value));
    for (const step of steps) {
      const claims = data.claims.of(step);
      if (claims !== undefined) given.push(textOf(this.model.fragments.get(claims) ?? ""));
    }
    if (given.length > 0) return given.join(" · ");
    const state = this.model.variables(this.model.activationOf(begin), begin, begin);
    return state.slice(0, mostOfState).map(({ name, value }) => this.told(name, value)).join(" · ");
  }

  private told(name: string, value: number): string {
    return `${name} ${this.model.data.values.words(value)}`;
  }
}

/** What a fragment says. */
export function textOf(html: string): string {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content.textContent ?? "";
}
