// Plots are drawn as they approach the viewport, one after the other, by plots.js: Vega is larger than everything else
// together, and pages without a plot never load it. Each is drawn once, and again when its width changes. Drawn plots follow
// the theme by themselves. Until then, and without this script, there is the picture that was drawn when the page was made.

import { loadScript, make } from "./element";
import { equip } from "./equip";
import type { DrawPlot } from "./plot/contract";

/** How far from the viewport a plot is drawn, so that the reader does not wait for it. */
const near = "80% 0px";
/** How many earlier fragments of a slot are kept as they were drawn. */
const keptFragments = 8;
/** Beside this script. */
const script = (document.currentScript?.getAttribute("src") ?? "").replace(/[^/]*$/, "plots.js");

let loading: Promise<DrawPlot> | undefined;

function load(): Promise<DrawPlot> {
  const missing = "plots.js, among the site’s assets, could not be loaded";
  return (loading ??= loadScript(script, missing).then(() => {
    if (!window.lecternDrawPlot) throw new Error(missing);
    return window.lecternDrawPlot;
  }));
}

function chartsIn(part: ParentNode): NodeListOf<HTMLElement> {
  return part.querySelectorAll<HTMLElement>(".plot > .chart:not(.failed)");
}

interface Drawing {
  width: number;
  dispose: () => void;
}

export class Plots {
  private readonly drawings = new Map<Element, Drawing>();
  private readonly wanted = new Set<HTMLElement>();
  private readonly kept = new WeakMap<HTMLElement, Map<number, DocumentFragment>>();
  private working = false;
  private readonly placed = new IntersectionObserver((entries) => this.moved(entries), { rootMargin: near });
  private readonly sized = new ResizeObserver((entries) => this.resized(entries));

  constructor() {
    this.watch(document);
    if (chartsIn(document).length > 0) addEventListener("load", () => this.prepare());
    // A printed page has no viewport.
    addEventListener("beforeprint", () => chartsIn(document).forEach((chart) => void this.draw(chart)));
  }

  /** Fills a slot with another fragment, of a number. A plot that was drawn in the previous one comes back with it, as it was. */
  fill(slot: HTMLElement, old: number, next: number, html: string): void {
    let fragments = this.kept.get(slot);
    if (chartsIn(slot).length > 0) {
      if (!fragments) this.kept.set(slot, (fragments = new Map()));
      const leaving = document.createDocumentFragment();
      leaving.append(...slot.childNodes);
      fragments.set(old, leaving);
    }
    const back = fragments?.get(next);
    fragments?.delete(next);
    if (back) {
      slot.replaceChildren(back);
    } else {
      slot.innerHTML = html;
      equip(slot);
      this.watch(slot);
      window.lecternCalculators?.();
    }
    if (fragments && fragments.size > keptFragments) {
      const [oldest, fragment] = fragments.entries().next().value!;
      fragments.delete(oldest);
      for (const chart of chartsIn(fragment)) this.forget(chart);
    }
  }

  private watch(part: ParentNode): void {
    for (const chart of chartsIn(part)) this.placed.observe(chart);
  }

  private forget(chart: Element): void {
    this.placed.unobserve(chart);
    this.sized.unobserve(chart);
    this.drawings.get(chart)?.dispose();
    this.drawings.delete(chart);
  }

  /** A page is printed, and read offline, with its plots. */
  private prepare(): void {
    const quietly = (): void => void load().catch(() => {}); // a reader who comes to a plot is told
    if ("requestIdleCallback" in window) requestIdleCallback(quietly);
    else setTimeout(quietly, 1000);
  }

  private moved(entries: IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) this.wanted.add(target as HTMLElement);
      else this.wanted.delete(target as HTMLElement);
    }
    void this.work();
  }

  private resized(entries: ResizeObserverEntry[]): void {
    for (const { target } of entries) this.wanted.add(target as HTMLElement);
    void this.work();
  }

  /** One at a time, so that the page stays responsive. */
  private async work(): Promise<void> {
    if (this.working) return;
    this.working = true;
    for (const chart of this.wanted) {
      this.wanted.delete(chart);
      if (await this.draw(chart)) await new Promise((done) => setTimeout(done));
    }
    this.working = false;
  }

  /** Whether there was something to draw. */
  private async draw(chart: HTMLElement): Promise<boolean> {
    const width = chart.clientWidth;
    const old = this.drawings.get(chart);
    if (width === 0 || old?.width === width) return false;
    const drawing = { width, dispose: () => {} };
    this.drawings.set(chart, drawing);
    try {
      const text = chart.parentElement?.querySelector("details > pre")?.textContent ?? "";
      drawing.dispose = await (await load())(chart, text);
      this.sized.observe(chart);
    } catch (error) {
      this.forget(chart);
      fail(chart, error);
    }
    old?.dispose();
    return true;
  }
}

/** Says what is wrong, unless there is a picture to be seen. */
function fail(chart: HTMLElement, error: unknown): void {
  if (chart.querySelector(".still")) return;
  const words = (error instanceof Error ? error.message : String(error)).replace(/\s+/g, " ").replace(/\.$/, "");
  const textContent = `This plot can’t be drawn: ${words.length > 200 ? `${words.slice(0, 200)}…` : words}. Its specification is below.`;
  chart.classList.add("failed");
  chart.removeAttribute("role");
  chart.removeAttribute("aria-label");
  chart.replaceChildren(make("p", { className: "missing", textContent }));
}
