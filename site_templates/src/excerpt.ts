// A range of steps inside another page: index.html?embed=FROM..TO in an iframe, with FROM and TO as in links to steps. Only
// what these steps ran and showed is there, the state below it, and buttons to step within the range.

import { showMessage } from "./announce";
import { linkTo, resolve } from "./address";
import { make, setText } from "./element";
import type { Action } from "./keys";
import type { Model } from "./model";
import type { Rows } from "./rows";

const root = document.documentElement;
const allowed: readonly Action[] = ["step", "back", "over", "over-back", "first", "last"];

function resolveRange(model: Model, text: string): [number, number] | undefined {
  const ends = text.split("..").map((end) => resolve(model, `#step=${end}`));
  const steps = ends.flatMap((end) => (end.kind === "step" ? [end.step] : []));
  return steps.length === 2 && ends.length === 2 ? [Math.min(...steps), Math.max(...steps)] : undefined;
}

export class Excerpt {
  private readonly count = make("span", { className: "excerpt-count" });
  private readonly link = make("a", { className: "excerpt-link", textContent: "Open in lecture", target: "_blank", rel: "noopener" });

  /** Undefined on a page that is shown whole, and of a range that is not in the lecture. */
  static of(model: Model, rows: Rows): Excerpt | undefined {
    const asked = new URLSearchParams(location.search).get("embed");
    if (asked === null) return undefined;
    const range = resolveRange(model, asked);
    if (range) return new Excerpt(model, rows, ...range);
    root.classList.remove("excerpt");
    showMessage("The steps that this page was to show are not in this version of the lecture. This is all of it.");
    return undefined;
  }

  private constructor(
    private readonly model: Model,
    rows: Rows,
    readonly first: number,
    readonly last: number,
  ) {
    leaveOut(document.querySelector(".lec")!, this.kept(rows));
    const title = document.querySelector(".title.left-out h1")?.textContent;
    if (title) document.querySelector(".lec")!.prepend(make("h1", { className: "unseen", textContent: title }));
    for (const button of document.querySelectorAll<HTMLElement>(".btns button")) {
      if (button.dataset.action !== "back" && button.dataset.action !== "step") button.hidden = true;
    }
    document.querySelector(".bar")!.append(this.count, this.link);
  }

  /** The rows of its statements, and those between two of one part of the source. */
  private kept(rows: Rows): Set<Element> {
    const own = new Set<Element>();
    for (let step = this.first; step <= this.last; ++step) for (const row of rows.of(this.model.site(step))) own.add(row);
    const kept = new Set(own);
    for (const part of new Set([...own].map((row) => row.closest(".part")))) {
      const all = [...(part?.querySelectorAll(".row") ?? [])];
      const inside = all.map((row, at) => (own.has(row) ? at : -1)).filter((at) => at >= 0);
      for (const row of all.slice(inside[0], inside.at(-1)! + 1)) kept.add(row);
    }
    return kept;
  }

  allows(action: Action): boolean {
    return allowed.includes(action);
  }

  /** Whether a step is in it; says so if not. */
  includes(step: number): boolean {
    if (step >= this.first && step <= this.last) return true;
    showMessage(`This excerpt ${step < this.first ? "begins" : "ends"} here: “Open in lecture” shows the rest.`);
    return false;
  }

  update(step: number): void {
    const [at, all] = [step - this.first + 1, this.last - this.first + 1].map((number) => number.toLocaleString("en"));
    setText(this.count, `${at} of ${all}`);
    this.link.href = location.pathname + linkTo(this.model, step);
  }
}

/** Hides what is in an element but not kept. */
function leaveOut(element: Element, kept: ReadonlySet<Element>): void {
  const holders = new Set<Element>();
  for (const row of kept) for (let at = row.parentElement; at && at !== element; at = at.parentElement) holders.add(at);
  const visit = (parent: Element): void => {
    for (const child of parent.children) {
      if (kept.has(child) || child.id === "message") continue;
      if (!holders.has(child)) child.classList.add("left-out");
      else visit(child);
    }
  };
  visit(element);
  for (const holder of holders) if (holder instanceof HTMLDetailsElement) holder.open = true;
}
