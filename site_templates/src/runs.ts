// The switch between the runs of a lecture that was recorded on several devices. Each has a page of its own; to the reader they
// are one: the same step, at the same place in the window, and one entry in the history.

import { hasStatement, linkTo, resolve } from "./address";
import { showMessage } from "./announce";
import type { Model } from "./model";
import { layOut } from "./paint";
import type { Rows } from "./rows";
import { chooseRun } from "./run_choice";

/** What a page leaves for the one that takes its place. */
interface Place {
  to: string;
  /** Links to the step and to those before it, which the other run may lack. */
  steps: string[];
  /** Statements in the window by their identities, and how far below its top they are; that of the step first. */
  rows: [string, number][];
  focus: boolean;
}

interface Reader {
  at: () => number;
  moved: () => boolean;
  sitesOn: (source: number, line: number) => number[];
}

const key = "lectern.place";
const most = 200;

export class Runs {
  private readonly links = [...document.querySelectorAll<HTMLAnchorElement>(".runs a[data-profile]")];
  private readonly pages = this.links.map((link) => link.href);
  /** The page that has this run beside one in another language (beside.ts). */
  private readonly both = document.querySelector<HTMLAnchorElement>(".runs .both");
  private readonly bothPage = this.both?.href ?? "";
  private readonly place = takePlace();
  private message = "";

  constructor(
    private readonly model: Model,
    private readonly rows: Rows,
    private readonly reader: Reader,
  ) {
    this.links.forEach((link, i) => {
      for (const kind of ["pointerdown", "focus"]) link.addEventListener(kind, () => (link.href = this.address(i)));
      link.addEventListener("click", (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        if (!link.hasAttribute("aria-current")) this.leave(i, event.detail === 0 && document.activeElement === link);
      });
    });
    for (const kind of ["pointerdown", "focus"]) this.both?.addEventListener(kind, () => (this.both!.href = this.besideAddress()));
  }

  /** To the page that has both programs. */
  beside(): void {
    if (this.both) location.assign(this.besideAddress());
    else showMessage("Nothing stands beside this lecture: it was recorded in one language only.");
  }

  private besideAddress(): string {
    if (!this.reader.moved()) return this.bothPage;
    // Of which of the two the step is.
    const name = new URL("./", this.bothPage).href === new URL("./", location.href).href ? "#beside=" : "#step=";
    return this.bothPage + name + linkTo(this.model, this.reader.at()).slice("#step=".length);
  }

  /** To the next run, around the end. */
  next(): void {
    const shown = this.links.findIndex((link) => link.hasAttribute("aria-current"));
    if (this.links.length < 2) showMessage("This lecture was recorded on one device only.");
    else this.leave((shown + 1) % this.links.length, false);
  }

  private address(i: number): string {
    const url = new URL(this.pages[i]!);
    url.search = location.search;
    url.hash = this.reader.moved() ? linkTo(this.model, this.reader.at()) : location.hash;
    return url.href;
  }

  private leave(i: number, focus: boolean): void {
    chooseRun(this.links[i]!.dataset.profile ?? "");
    const steps: string[] = [];
    const at = this.reader.moved() ? this.reader.at() : -1;
    for (let step = at; step >= 0 && steps.length < most; --step) steps.push(linkTo(this.model, step));
    leavePlace({ to: this.pages[i]!, steps, rows: this.inWindow(at), focus });
    location.replace(this.address(i));
  }

  private inWindow(step: number): [string, number][] {
    layOut();
    const inside = (element: Element): boolean => {
      const { top, bottom, height } = element.getBoundingClientRect();
      return height > 0 && bottom > 0 && top < innerHeight;
    };
    const found = [...document.querySelectorAll<HTMLElement>(".title, .block")].filter(inside)
      .flatMap((part) => (part.matches(".title") ? [part] : [...part.querySelectorAll<HTMLElement>(".row.code, .row.shown")].filter(inside)));
    const row = step < 0 ? undefined : this.rows.visible(this.model.site(step));
    const places = found.filter((each) => each !== row).map((each): [number | undefined, HTMLElement] => [this.siteOf(each), each]);
    if (row && inside(row)) places.unshift([this.model.site(step), row]);
    return places.flatMap(([site, each]) => (site === undefined ? [] : [[this.model.data.sites[site]![5], each.getBoundingClientRect().top]]));
  }

  private siteOf(row: HTMLElement): number | undefined {
    if (row.dataset.site !== undefined) return Number(row.dataset.site);
    const line = Number(row.dataset.line);
    const sites = this.reader.sitesOn(Number(row.closest<HTMLElement>(".source")?.dataset.source ?? 0), line);
    return sites.find((site) => this.model.data.sites[site]![1] === line);
  }

  /** Before the page follows its address: what that names may not be in this run, but in the one that the reader comes from. */
  arrive(): void {
    const exact = (link: string): boolean => {
      const target = resolve(this.model, link);
      return target.kind === "step" && target.message === undefined;
    };
    const [asked] = this.place?.steps ?? [];
    if (asked === undefined || asked !== location.hash || exact(asked)) return;
    const nearest = this.place!.steps.find(exact);
    if (nearest === undefined) return;
    history.replaceState(null, "", nearest);
    const why = hasStatement(this.model, asked) ? "did not come to that step" : "has no such statement";
    this.message = `This run ${why}. This is the last step before it that both runs have.`;
  }

  /** Once the page shows its step, or will in the next frame. */
  settle(): void {
    if (!this.place) return;
    if (this.message !== "") showMessage(this.message);
    if (this.place.focus) this.links.find((link) => link.hasAttribute("aria-current"))?.focus({ preventScroll: true });
    this.scroll(this.place.rows);
    requestAnimationFrame(() => this.scroll(this.place!.rows));
  }

  private scroll(places: readonly [string, number][]): void {
    for (const [identity, top] of places) {
      const site = this.model.data.sites.findIndex((entry) => entry[5] === identity);
      const row = site < 0 ? undefined : this.rows.visible(site);
      if (row) return scrollBy({ top: row.getBoundingClientRect().top - top, behavior: "instant" });
    }
  }
}

/** Storage may be denied: then the address alone says where the reader was. */
function leavePlace(place: Place): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(place));
  } catch {
    // As above.
  }
}

function takePlace(): Place | undefined {
  try {
    const place = JSON.parse(sessionStorage.getItem(key) ?? "null") as Place | null;
    sessionStorage.removeItem(key);
    return place && place.to === location.href.replace(/[?#].*$/s, "") ? place : undefined;
  } catch {
    return undefined;
  }
}
