// The outline: which section is being read, and at which step each begins.

import type { Model } from "./model";
import { rowsCame } from "./source_rows";

export interface Section {
  title: string;
  link: HTMLAnchorElement;
  row: HTMLElement;
}

/** What is seen of a section's beginning: the row itself or, where the view hides it, the next one that is there. */
function shownFrom(row: HTMLElement): Element {
  let at: Element | null = row;
  while (at && at.getClientRects().length === 0) at = at.nextElementSibling ?? at.closest(".block")?.nextElementSibling ?? null;
  return at ?? row.parentElement ?? row;
}

export class Sections {
  readonly list: Section[] = [];
  /** In the order of their places on the page, which is another one in raw view. */
  private placed: Section[] = [];
  private placedRaw: string | undefined;
  private here: Section | undefined;
  /** Until then, the page scrolls to a step, whose section is marked already. */
  private settles = 0;
  private readonly sectionOf = new Map<Element, number>();

  constructor() {
    this.read();
    this.listen();
  }

  /** Takes the sections from the outline, as it is now. */
  private read(): void {
    this.list.length = 0;
    this.placedRaw = undefined;
    this.sectionOf.clear();
    for (const link of document.querySelectorAll<HTMLAnchorElement>("nav.out a[href^='#']:not([hidden])")) {
      const heading = document.getElementById(decodeURIComponent(link.hash.slice(1)));
      // The row, not the heading: what a slot holds changes with the steps.
      const row = heading?.closest<HTMLElement>(".row, .title, .part, .references") ?? heading;
      if (row) this.list.push({ title: link.textContent ?? "", link, row });
    }
    let section = -1;
    const known = new Map<Element, number>(this.list.map(({ row }, index) => [row, index]));
    let part: Element | null = null;
    for (const row of document.querySelectorAll(".source .row")) {
      // A function whose head is not shown begins with its part.
      const begins = row.closest(".part") !== part;
      part = row.closest(".part");
      section = known.get(row) ?? (begins && part ? known.get(part) : undefined) ?? section;
      this.sectionOf.set(row, section);
    }
    this.markScrolled();
  }

  private listen(): void {
    addEventListener("lectern-language", () => this.read());
    document.addEventListener(rowsCame, () => this.read());
    let waiting = false;
    addEventListener(
      "scroll",
      () => {
        if (waiting) return;
        waiting = true;
        requestAnimationFrame(() => {
          waiting = false;
          if (performance.now() >= this.settles) this.markScrolled();
        });
      },
      { passive: true },
    );
  }

  /** Steps at which the sections begin, as far as they were reached. */
  starts(model: Model): { title: string; step: number }[] {
    const starts: { title: string; step: number }[] = [];
    for (const { title, row } of this.list) {
      const site = row.dataset.site;
      const step = site === undefined ? undefined : model.executions[Number(site)]![0];
      if (step !== undefined) starts.push({ title, step });
    }
    return starts;
  }

  /** Marks the section of a step's row, while the page scrolls there. */
  follow(row: Element): void {
    this.settles = performance.now() + 500;
    this.mark(this.list[this.sectionOf.get(row) ?? -1]);
  }

  private mark(section: Section | undefined): void {
    if (section === this.here) return;
    this.here?.link.removeAttribute("aria-current");
    section?.link.setAttribute("aria-current", "true");
    this.here = section;
    const link = section?.link;
    const nav = link?.closest("nav");
    if (!link || !nav) return;
    const top = link.offsetTop - nav.offsetTop;
    if (top < nav.scrollTop || top + link.offsetHeight > nav.scrollTop + nav.clientHeight) {
      nav.scrollTop = top - nav.clientHeight / 2;
    }
  }

  private markScrolled(): void {
    const line = innerHeight / 3;
    const sections = this.inOrder();
    let low = 0;
    for (let high = sections.length; low < high; ) {
      const middle = (low + high) >>> 1;
      if (shownFrom(sections[middle]!.row).getBoundingClientRect().top <= line) low = middle + 1;
      else high = middle;
    }
    this.mark(sections[Math.max(0, low - 1)]);
  }

  private inOrder(): readonly Section[] {
    const raw = document.documentElement.dataset.raw ?? "off";
    if (raw !== this.placedRaw) {
      this.placedRaw = raw;
      const precedes = (a: Section, b: Section): boolean => (a.row.compareDocumentPosition(b.row) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
      this.placed = [...this.list].sort((a, b) => (a.row === b.row ? 0 : precedes(a, b) ? -1 : 1));
    }
    return this.placed;
  }
}
