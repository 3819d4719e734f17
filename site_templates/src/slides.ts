// The page as slides: the title with what stands above the first heading, then each section of the outline.

import type { Model } from "./model";
import type { Rows } from "./rows";
import type { Section } from "./sections";

export interface Slide {
  title: string;
  items: HTMLElement[];
  /** Of those that show something on the slide; undefined: none was reached. */
  firstStep: number | undefined;
}

export class Slides {
  readonly list: Slide[];
  private readonly slideOf = new Map<Element, number>();

  constructor(
    private readonly model: Model,
    private readonly rows: Rows,
    sections: readonly Section[],
  ) {
    const starts = new Map(sections.map(({ row, title }) => [topmost(row.matches(".part") ? row.querySelector<HTMLElement>(".row")! : row), title]));
    this.list = [{ title: document.querySelector("h1")?.textContent ?? "", items: [], firstStep: undefined }];
    for (const item of document.querySelectorAll<HTMLElement>(".title, .part > .fold, .part > .block > .row, .references")) {
      const title = starts.get(item);
      if (title !== undefined) this.list.push({ title, items: [], firstStep: undefined });
      this.list.at(-1)!.items.push(item);
      this.slideOf.set(item, this.list.length - 1);
    }
    model.data.sites.forEach((_, site) => {
      const step = model.executions[site]![0];
      const slide = step === undefined ? undefined : this.list[this.of(site)];
      if (slide && this.shows(site)) slide.firstStep = Math.min(step!, slide.firstStep ?? Infinity);
    });
  }

  /** The slide of a statement; -1: it is on none. */
  of(site: number): number {
    const row = this.rows.of(site).at(-1);
    return row ? (this.slideOf.get(topmost(row)) ?? -1) : -1;
  }

  /** Whether a statement only leads from one slide to the next. */
  leadsOn(site: number): boolean {
    return this.rows.of(site).every((row) => row.matches(".aside"));
  }

  /** Whether a statement is seen on its slide: not a call that leads from one to the next, for example. */
  shows(site: number): boolean {
    return this.rows.of(site).some((row) => !row.matches(".aside, .raw, .quiet"));
  }

  /** The next step, in a direction, of which something is seen. */
  step(from: number, direction: 1 | -1): number {
    for (let step = from + direction; step >= 0 && step <= this.model.last; step += direction) {
      if (this.shows(this.model.site(step))) return step;
    }
    return -1;
  }
}

function topmost(row: HTMLElement): HTMLElement {
  return row.closest<HTMLElement>(".fold") ?? row;
}
