// The other processes of a run, beside the state of rank 0: where each of them is at the same time, and what its variables hold.

import { decode, lastAtMost } from "./columns";
import { escapeHtml, make, setText } from "./element";
import { Model, type Frame } from "./model";
import { loadRanks, type Calls, type RankData, type RanksData } from "./ranks_data";
import { RunData } from "./run_data";

const root = document.documentElement;

/** A value, without the memory that it lies in: that is of its own process. */
class Held {
  private readonly known = new Map<number, string>();

  constructor(private readonly model: Model) {}

  html(value: number): string {
    const known = this.known.get(value);
    if (known !== undefined) return known;
    const { values } = this.model.data;
    const rendered = this.model.fragments.get(values.html(value));
    if (rendered === undefined) return escapeHtml(values.words(value));
    const parts = make("template", { innerHTML: rendered });
    for (const part of parts.content.querySelectorAll(".storage, .layout")) part.remove();
    for (const facts of parts.content.querySelectorAll(".facts:empty")) facts.remove();
    this.known.set(value, parts.innerHTML);
    return parts.innerHTML;
  }

  same(value: number, other: Held, others: number): boolean {
    const type = (held: Held, of: number): string => held.model.data.values.type(of);
    return type(this, value) === type(other, others) && this.html(value) === other.html(others);
  }
}

class Card {
  readonly element: HTMLElement;
  private readonly model: Model;
  private readonly held: Held;
  private readonly beside: Int32Array;
  private readonly alone: Int32Array;
  private readonly where = make("p", { className: "rank-where" });
  private readonly code = make("code", {});
  private readonly call = make("p", { className: "rank-call" });
  private readonly waits = make("p", { className: "rank-waits" });
  private readonly vars = make("dl", { className: "rank-vars" });

  constructor(
    private readonly data: RankData,
    private readonly first: Model,
    private readonly heldByFirst: Held,
  ) {
    this.model = new Model(new RunData(data.page));
    this.held = new Held(this.model);
    this.beside = decode(data.beside);
    this.alone = decode(data.alone);
    const name = make("h3", { textContent: `Rank ${data.rank}` });
    this.element = make("section", { className: "rank" }, make("header", {}, name, this.where), make("pre", {}, this.code), this.call, this.waits, this.vars);
    this.element.setAttribute("aria-label", `Rank ${data.rank}`);
  }

  update(step: number): void {
    const at = this.beside[step] ?? -1;
    const begun = at >= 0;
    const stays = this.alone[lastAtMost(this.alone, step)] === step;
    const frame = begun ? this.model.frames(at).at(-1) : undefined;
    setText(this.where, frame ? `${frame.name}:${frame.line}` : "");
    setText(this.code, frame ? (this.data.statements[frame.site] ?? "") : "");
    this.code.parentElement!.hidden = !frame;
    show(this.call, begun && !stays ? callText(this.data.calls, at) : "");
    show(this.waits, !begun ? "Has not begun" : stays ? "Stays here: this rank does not run rank 0’s line" : "");
    this.vars.replaceChildren(...(frame ? this.variables(frame, at, step) : []));
  }

  private variables(frame: Frame, at: number, step: number): HTMLElement[] {
    const own = this.first.variables(this.first.activationOf(step), step, step);
    return this.model.variables(frame.activation, at, at).map(({ name, value }) => {
      const counterpart = own.find((each) => each.name === name);
      const same = counterpart !== undefined && this.held.same(value, this.heldByFirst, counterpart.value);
      const shown = make("dd", { title: this.model.data.values.type(value) });
      if (same) shown.append(make("span", { className: "rank-same", textContent: "as on rank 0" }));
      else shown.innerHTML = this.held.html(value);
      return make("div", { className: same ? "rank-var" : "rank-var differs-by-rank" }, make("dt", { textContent: name }), shown);
    });
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
    model: Model,
    private readonly data: RanksData,
    place: HTMLElement,
  ) {
    const held = new Held(model);
    this.cards = data.ranks.map((rank) => new Card(rank, model, held));
    place.append(make("h2", { textContent: this.cards.length === 1 ? "The other rank" : "The other ranks" }), this.own, make("div", { className: "rank-cards" }, ...this.cards.map((card) => card.element)));
    place.hidden = false;
  }

  /** Calls back with those of the page's run, once they are there; never if it had one process. */
  static load(model: Model, use: (ranks: Ranks) => void): void {
    const place = document.getElementById("ranks");
    if (!place || root.dataset.ranks === undefined) return;
    void loadRanks((data) => use(new Ranks(model, data, place)));
  }

  update(step: number): void {
    const call = callText(this.data.calls, step);
    show(this.own, call === "" ? "" : `Rank 0 ${call}`);
    for (const card of this.cards) card.update(step);
  }
}
