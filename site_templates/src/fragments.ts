// What stands in the text and changes with the steps: chips and verified claims at the end of code lines, and the slots in
// which hooks rendered. Before the reader's first step all show the run's final state, as without script. From then on a
// statement has the chips of the frame and the pass that are shown (badges.ts), and shows its latest rendering up to now. One
// that has none of its own hides its final chips, whose room stays, and keeps the rendering of its first execution.

import { Badges } from "./badges";
import { make } from "./element";
import { lastAtMost } from "./columns";
import type { Model } from "./model";
import { renew } from "./paint";
import type { Plots } from "./plots";
import { rowsCame } from "./source_rows";

export class Fragments {
  private readonly chips = new Map<number, Element[]>();
  private readonly finalChips = new Map<number, Element[]>();
  private readonly slots = new Map<number, HTMLElement>();
  private readonly chipStep = new Map<number, number>();
  private readonly slotHtml = new Map<number, number>();
  /** Statements whose rendering is still to come. */
  private readonly late = new Set<number>();
  private readonly badges: Badges;
  private shown = -1;

  constructor(
    private readonly model: Model,
    private readonly plots: Plots,
  ) {
    this.badges = new Badges(model);
    this.findChips();
    document.addEventListener(rowsCame, () => this.renewChips());
    for (const slot of document.querySelectorAll<HTMLElement>(".row[data-site] > .slot")) {
      const site = Number(slot.parentElement!.dataset.site);
      const showings = model.showings[site]!;
      if (showings.length === 0) continue;
      this.slots.set(site, slot);
      this.slotHtml.set(site, model.data.show.of(showings[showings.length - 1]!)!);
    }
  }

  /** Those of statements that had no row until now. */
  private findChips(): void {
    const found = new Map<number, Element[]>();
    for (const chip of document.querySelectorAll<HTMLElement>(".chips > [data-site]")) {
      const site = Number(chip.dataset.site);
      if (this.chips.has(site)) continue;
      const list = found.get(site);
      if (list) list.push(chip);
      else found.set(site, [chip]);
    }
    for (const [site, chips] of found) {
      this.chips.set(site, chips);
      this.finalChips.set(site, chips);
    }
  }

  /** More rows are on the page than before. */
  private renewChips(): void {
    const without = this.badges.sites.filter((site) => !this.chips.has(site));
    this.findChips();
    if (this.shown < 0) return;
    for (const site of without) {
      this.chipStep.delete(site);
      this.updateChips(site);
    }
  }

  /** Brings the text to a step, seen from an activation: slots only where a statement ran since the last one shown. */
  update(step: number, from: number): void {
    this.badges.look(step, from);
    for (const site of this.badges.sites) this.updateChips(site);
    if (this.shown < 0) {
      document.documentElement.classList.add("stepping");
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
    const slot = this.slots.get(site);
    if (!slot) return;
    const showings = this.model.showings[site]!;
    const html = this.model.data.show.of(showings[Math.max(0, lastAtMost(showings, step))]!)!;
    const old = this.slotHtml.get(site)!;
    this.late.delete(site);
    if (old === html) return;
    const next = this.model.fragments.get(html);
    if (next === undefined) return void this.late.add(site);
    this.slotHtml.set(site, html);
    renew(slot);
    this.plots.fill(slot, old, html, next);
  }

  /** Shows what had not come when the step was shown. */
  complete(): void {
    for (const site of [...this.late]) this.updateSite(site, this.shown);
  }

  private updateChips(site: number): void {
    const from = this.badges.at(site);
    if ((this.chipStep.get(site) ?? -1) === from) return;
    this.chipStep.set(site, from);
    const old = this.chips.get(site) ?? [];
    const next = from < 0 ? (this.finalChips.get(site) ?? []) : this.chipsOf(site, from);
    const home = old[0]?.parentElement ?? this.home(site);
    if (!home) return;
    renew(home);
    const following = old.at(-1)?.nextSibling ?? null;
    for (const chip of next) home.insertBefore(chip, following);
    for (const chip of old) chip.remove();
    this.chips.set(site, next);
  }

  private chipsOf(site: number, step: number): Element[] {
    const { data } = this.model;
    const chips = data.vars.of(step).map(([name, value]) => {
      const chip = make("span", { className: "chip on", title: data.values.type(value) }, `${name} `, make("i", { textContent: data.values.text(value) }));
      chip.dataset.name = name;
      return chip;
    });
    const claims = data.claims.of(step);
    if (claims !== undefined) chips.push(make("span", { className: "verdict on", innerHTML: this.model.fragments.get(claims) ?? "" }));
    for (const chip of chips) chip.dataset.site = String(site);
    return chips;
  }

  private home(site: number): Element | null {
    const [source, , last] = this.model.data.sites[site]!;
    const code = document.getElementById(`s${source}-${last}`)?.querySelector(".c");
    if (!code) return null;
    const chips = code.querySelector(".chips") ?? make("span", { className: "chips" });
    if (!chips.parentElement) code.append(chips);
    return chips;
  }
}
