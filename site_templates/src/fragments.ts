// What stands in the text and changes with the steps: chips and verified claims at the end of code lines, and the slots in
// which hooks rendered. Before the reader's first step all show the run's final state, as without script. From then on a
// statement shows its latest execution up to now; one not yet reached hides its chips (their room stays) and keeps the
// rendering of its first execution.

import { make } from "./element";
import { lastAtMost, type Model } from "./model";
import type { Plots } from "./plots";

export class Fragments {
  private readonly chips = new Map<number, Element[]>();
  private readonly slots = new Map<number, HTMLElement>();
  private readonly chipStep = new Map<number, number>();
  private readonly slotHtml = new Map<number, number>();
  private shown = -1;

  constructor(
    private readonly model: Model,
    private readonly plots: Plots,
  ) {
    for (const chip of document.querySelectorAll<HTMLElement>(".chips > [data-site]")) {
      const site = Number(chip.dataset.site);
      const list = this.chips.get(site);
      if (list) list.push(chip);
      else this.chips.set(site, [chip]);
    }
    for (const slot of document.querySelectorAll<HTMLElement>(".row[data-site] > .slot")) {
      const site = Number(slot.parentElement!.dataset.site);
      const showings = model.showings[site]!;
      if (showings.length === 0) continue;
      this.slots.set(site, slot);
      this.slotHtml.set(site, model.data.show[showings[showings.length - 1]!]!);
    }
  }

  /** Brings the text to a step: only the statements that ran between the last one shown and this. */
  update(step: number): void {
    if (this.shown < 0) {
      document.documentElement.classList.add("stepping");
      for (const site of this.chips.keys()) this.updateChips(site, step);
      this.model.data.sites.forEach((_, site) => this.updateSite(site, step));
    } else if (Math.abs(step - this.shown) > this.model.data.sites.length) {
      this.model.data.sites.forEach((_, site) => this.updateSite(site, step));
    } else {
      const touched = new Set<number>();
      for (let at = Math.min(step, this.shown) + 1; at <= Math.max(step, this.shown); ++at) {
        touched.add(this.model.site(at));
      }
      for (const site of touched) this.updateSite(site, step);
    }
    this.shown = step;
  }

  private updateSite(site: number, step: number): void {
    if (this.model.chipped[site]!.length > 0) this.updateChips(site, step);
    const slot = this.slots.get(site);
    if (!slot) return;
    const showings = this.model.showings[site]!;
    const html = this.model.data.show[showings[Math.max(0, lastAtMost(showings, step))]!]!;
    const old = this.slotHtml.get(site)!;
    if (old === html) return;
    this.slotHtml.set(site, html);
    this.plots.fill(slot, this.model.data.html[old]!, this.model.data.html[html]!);
  }

  private updateChips(site: number, step: number): void {
    const executions = this.model.chipped[site]!;
    const index = lastAtMost(executions, step);
    const from = index < 0 ? -1 : executions[index]!;
    const old = this.chips.get(site);
    if (from < 0) {
      for (const chip of old ?? []) chip.classList.remove("on");
      this.chipStep.delete(site);
      return;
    }
    if (this.chipStep.get(site) === from) return;
    this.chipStep.set(site, from);
    const next = this.chipsOf(site, from);
    const home = old?.[0]?.parentElement ?? this.home(site);
    if (!home) return;
    const following = old?.[old.length - 1]?.nextSibling ?? null;
    for (const chip of next) home.insertBefore(chip, following);
    for (const chip of old ?? []) chip.remove();
    this.chips.set(site, next);
  }

  private chipsOf(site: number, step: number): Element[] {
    const { data } = this.model;
    const chips = (data.vars[step] ?? []).map(([name, value]) => {
      const [type, text] = data.values[value]!;
      const chip = make("span", { className: "chip on", title: type }, `${name} `, make("i", { textContent: text }));
      chip.dataset.name = name;
      return chip;
    });
    const claims = data.claims[step];
    if (claims !== undefined) chips.push(make("span", { className: "verdict on", innerHTML: data.html[claims]! }));
    for (const chip of chips) chip.dataset.site = String(site);
    return chips;
  }

  private home(site: number): Element | null {
    const [source, , last] = this.model.data.sites[site]!;
    return document.getElementById(`s${source}-${last}`)?.querySelector(".chips") ?? null;
  }
}
