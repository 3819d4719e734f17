// Plots are drawn when they come near to view, one after the other, by plots.js: Vega is larger than all else together, and
// pages without a plot never load it. Each is drawn once, and again where its place has got another width. What is drawn
// follows the theme by itself.

import type { DrawPlot } from "./plot/contract";

/** How far from view a plot is drawn: on the way there it is not waited for. */
const near = "80% 0px";
/** How many of the fragments that a slot had before are kept as they were drawn. */
const keptFragments = 8;
/** Beside this script. */
const script = (document.currentScript?.getAttribute("src") ?? "").replace(/[^/]*$/, "plots.js");

let loading: Promise<DrawPlot> | undefined;

function load(): Promise<DrawPlot> {
  loading ??= new Promise((resolve, reject) => {
    const missing = (): void => reject(new Error("plots.js, among the site’s assets, could not be loaded"));
    const element = document.createElement("script");
    element.onload = () => (window.lecternDrawPlot ? resolve(window.lecternDrawPlot) : missing());
    element.onerror = missing;
    element.src = script;
    document.head.append(element);
  });
  return loading;
}

function chartsIn(part: ParentNode): NodeListOf<HTMLElement> {
  return part.querySelectorAll<HTMLElement>(".plot > .chart:not(.failed)");
}

interface Drawing {
  width: number;
  takeAway: () => void;
}

export class Plots {
  private readonly drawings = new Map<Element, Drawing>();
  private readonly wanted = new Set<HTMLElement>();
  private readonly kept = new WeakMap<HTMLElement, Map<string, DocumentFragment>>();
  private working = false;
  private readonly placed = new IntersectionObserver((entries) => this.moved(entries), { rootMargin: near });
  private readonly sized = new ResizeObserver((entries) => this.resized(entries));

  constructor() {
    this.watch(document);
    if (chartsIn(document).length > 0) addEventListener("load", () => this.prepare());
    // What is on paper has no view to come near to.
    addEventListener("beforeprint", () => chartsIn(document).forEach((chart) => void this.draw(chart)));
  }

  /** Fills a slot with another fragment. A plot that was drawn in the one that goes comes back with it as it was. */
  fill(slot: HTMLElement, old: string, next: string): void {
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
      slot.innerHTML = next;
      this.watch(slot);
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
    this.drawings.get(chart)?.takeAway();
    this.drawings.delete(chart);
  }

  /** A page is printed, and read offline, with its plots. */
  private prepare(): void {
    const quietly = (): void => void load().catch(() => {}); // those who come to a plot are told
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

  /** One at a time: between two the page goes on. */
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
    const drawing = { width, takeAway: () => {} };
    this.drawings.set(chart, drawing);
    try {
      const text = chart.parentElement?.querySelector("details > pre")?.textContent ?? "";
      drawing.takeAway = await (await load())(chart, text);
      this.sized.observe(chart);
    } catch (error) {
      this.forget(chart);
      fail(chart, error);
    }
    old?.takeAway();
    return true;
  }
}

function fail(chart: HTMLElement, error: unknown): void {
  const words = (error instanceof Error ? error.message : String(error)).replace(/\s+/g, " ").replace(/\.$/, "");
  const message = document.createElement("p");
  message.className = "missing";
  message.textContent = `This plot can’t be drawn: ${words.length > 200 ? `${words.slice(0, 200)}…` : words}. Its specification is below.`;
  chart.classList.add("failed");
  chart.removeAttribute("role");
  chart.removeAttribute("aria-label");
  chart.replaceChildren(message);
}
