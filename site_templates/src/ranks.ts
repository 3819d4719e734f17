// The other processes of a run, beside the state of rank 0: where each of them is at the same time, and what its variables hold.

import { decode, lastAtMost } from "./columns";
import { make, setText } from "./element";
import { Model, type Frame, type Variable } from "./model";
import { loadRanks, type Calls, type RankData, type RanksData } from "./ranks_data";
import { RunData } from "./run_data";

const root = document.documentElement;

/** What is said of a value; the same on two ranks where the values are. */
const wordsOf = (model: Model, value: number): string => model.data.values.html(value) < 0 ? "" : `${model.data.values.type(value)} ${model.fragments.get(model.data.values.html(value))}`;

class Card {
  readonly element: HTMLElement;
  private readonly model: Model;
  private readonly beside: Int32Array;
  private readonly alone: Int32Array;
  private readonly where = make("p", { className: "rank-where" });
  private readonly code = make("code", {});
  private readonly call = make("p", { className: "rank-call" });
  private readonly waits = make("p", { className: "rank-waits" });
  private readonly vars = make("dl", { className: "rank-vars" });
  private shown = "";

  constructor(private readonly data: RankData) {
    this.model = new Model(new RunData(data.page));
    this.beside = decode(data.beside);
    this.alone = decode(data.alone);
    const name = make("h3", { textContent: `Rank ${data.rank}` });
    this.element = make("section", { className: "rank" }, make("header", {}, name, this.where), make("pre", {}, this.code), this.call, this.waits, this.vars);
    this.element.setAttribute("aria-label", `Rank ${data.rank}`);
  }

  update(step: number, first: Model): void {
    const at = this.beside[step] ?? -1;
    const begun = at >= 0;
    const stays = this.alone[lastAtMost(this.alone, step)] === step;
    const key = `${at} ${stays} ${first.activation[step]} ${step}`;
    if (key === this.shown) return;
    this.shown = key;
    const frame = begun ? this.model.frames(at).at(-1) : undefined;
    setText(this.where, frame ? `${frame.name}:${frame.line}` : "");
    setText(this.code, frame ? (this.data.statements[frame.site] ?? "") : "");
    this.code.parentElement!.hidden = !frame;
    show(this.call, begun && !stays ? callText(this.data.calls, at) : "");
    show(this.waits, !begun ? "Has not begun" : stays ? "Stays here: this rank does not run rank 0’s line" : "");
    this.vars.replaceChildren(...(frame ? this.variables(frame, at, first, step) : []));
  }

  private variables(frame: Frame, at: number, first: Model, step: number): HTMLElement[] {
    const own = first.variables(first.activationOf(step), step, step);
    return this.model.variables(frame.activation, at, at).map((variable) => {
      const counterpart = own.find(({ name }) => name === variable.name);
      const same = counterpart !== undefined && wordsOf(first, counterpart.value) === wordsOf(this.model, variable.value);
      return this.variable(variable, same);
    });
  }

  private variable({ name, value }: Variable, same: boolean): HTMLElement {
    const { values } = this.model.data;
    const held = make("dd", { title: values.type(value) });
    if (same) held.append(make("span", { className: "rank-same", textContent: "as on rank 0" }));
    else held.innerHTML = this.model.fragments.get(values.html(value)) ?? "";
    return make("div", { className: same ? "rank-var" : "rank-var differs-by-rank" }, make("dt", { textContent: name }), held);
  }
}

function callText(calls: Calls, step: number): string {
  const text = calls[String(step)];
  return text === undefined ? "" : `⇄ ${text}`;
}

function show(element: HTMLElement, text: string): void {
  setText(element, text);
  element.hidden = text === "";
}

export class Ranks {
  private readonly own = make("p", { className: "rank-call" });
  private readonly cards: Card[];

  private constructor(
    private readonly model: Model,
    private readonly data: RanksData,
    place: HTMLElement,
  ) {
    this.cards = data.ranks.map((rank) => new Card(rank));
    place.append(make("h2", { textContent: this.cards.length === 1 ? "The other rank" : "The other ranks" }), this.own, make("div", { className: "rank-cards" }, ...this.cards.map((card) => card.element)));
    place.hidden = false;
  }

  /** Calls back with those of the page's run, once they are there; never if it had one process. */
  static load(model: Model, use: (ranks: Ranks) => void): void {
    const place = document.getElementById("ranks");
    if (!place || root.dataset.ranks === undefined) return;
    loadRanks((data) => use(new Ranks(model, data, place)));
  }

  update(step: number): void {
    const call = callText(this.data.calls, step);
    show(this.own, call === "" ? "" : `Rank 0 ${call}`);
    for (const card of this.cards) card.update(step, this.model);
  }
}
