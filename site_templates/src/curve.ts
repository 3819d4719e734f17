// The history of a number as a curve over the steps.

import { make } from "./element";
import { lastAtMost } from "./columns";

const width = 300;
const height = 84;
const margin = 6;
/** Of more points the lowest and the highest of each stretch are drawn. */
const mostPoints = 400;
/** Up to so many have a dot each. */
const mostDots = 40;

export class Curve {
  private readonly svg = svgElement("svg", { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img" });
  private readonly now = svgElement("line", { class: "now", y1: 0, y2: height });
  private readonly lowest: number;
  private readonly range: number;
  readonly element: HTMLElement;

  /**
   * `numbers` at `steps`, which ascend; what is infinite or no number is left out. `calls`: of which call of its function each
   * is. `go`: to the step nearest to a click.
   */
  constructor(
    name: string,
    private readonly steps: readonly number[],
    numbers: readonly number[],
    calls: readonly number[],
    go: (step: number) => void,
  ) {
    // A line for each call, unless each gave one number only.
    const several = new Set(calls).size < calls.length;
    const all = steps.map((step, index) => ({ step, value: numbers[index]!, line: several ? calls[index]! : 0 }));
    const points = all.filter(({ value }) => Number.isFinite(value));
    this.lowest = points.reduce((least, { value }) => Math.min(least, value), Infinity);
    const highest = points.reduce((most, { value }) => Math.max(most, value), -Infinity);
    this.range = highest - this.lowest;
    const first = numbers[0]!;
    const last = numbers[numbers.length - 1]!;
    const count = numbers.length.toLocaleString("en");
    const told = `${name}: ${count} values, first ${first}, last ${last}, lowest ${this.lowest}, highest ${highest}`;
    this.svg.setAttribute("aria-label", told);
    const shown = points.length > mostPoints ? thinned(points) : points;
    const at = shown.map(({ step, value }) => `${this.x(step).toFixed(1)},${this.y(value).toFixed(1)}`);
    const moves = shown.map(({ line }, index) => (line === shown[index - 1]?.line ? "L" : "M") + at[index]!);
    this.svg.append(this.now, svgElement("path", { class: "line", d: moves.join("") }));
    // A line of no length with round ends: a dot that the stretched picture leaves round.
    if (shown.length <= mostDots) this.svg.append(svgElement("path", { class: "dots", d: at.map((point) => `M${point}h0`).join("") }));
    this.svg.addEventListener("click", (event) => go(this.nearest(event)));
    const ends = make("p", { className: "ends" }, extent("lowest", this.lowest), extent("highest", highest));
    this.element = make("div", { className: "curve" }, this.svg, ends);
  }

  /** Marks a step. */
  mark(step: number): void {
    const x = String(this.x(Math.max(this.steps[0]!, Math.min(this.steps[this.steps.length - 1]!, step))));
    this.now.setAttribute("x1", x);
    this.now.setAttribute("x2", x);
  }

  private x(step: number): number {
    const first = this.steps[0]!;
    const span = this.steps[this.steps.length - 1]! - first;
    return span === 0 ? width / 2 : margin + ((width - 2 * margin) * (step - first)) / span;
  }

  private y(value: number): number {
    // Halved first: the range of two huge numbers may be infinite.
    const share = this.range === 0 ? 0.5 : (value / 2 - this.lowest / 2) / (this.range / 2 || 1);
    return height - margin - (height - 2 * margin) * (Number.isFinite(share) ? share : 0.5);
  }

  private nearest(event: MouseEvent): number {
    const box = this.svg.getBoundingClientRect();
    const x = ((event.clientX - box.left) / Math.max(1, box.width)) * width;
    const first = this.steps[0]!;
    const span = this.steps[this.steps.length - 1]! - first;
    const step = first + ((x - margin) / (width - 2 * margin)) * span;
    const before = Math.max(0, lastAtMost(this.steps, step));
    const after = Math.min(this.steps.length - 1, before + 1);
    return this.steps[step - this.steps[before]! <= this.steps[after]! - step ? before : after]!;
  }
}

function extent(words: string, value: number): HTMLElement {
  return make("span", {}, `${words} `, make("b", { textContent: String(Number(value.toPrecision(6))) }));
}

interface Point {
  step: number;
  value: number;
  line: number;
}

function thinned(points: readonly Point[]): Point[] {
  const kept: Point[] = [];
  const stretch = Math.ceil(points.length / (mostPoints / 2));
  for (let begin = 0; begin < points.length; begin += stretch) {
    let low = points[begin]!;
    let high = low;
    for (let index = begin; index < Math.min(points.length, begin + stretch); ++index) {
      const point = points[index]!;
      if (point.value < low.value) low = point;
      if (point.value > high.value) high = point;
    }
    if (low === high) kept.push(low);
    else kept.push(...(low.step < high.step ? [low, high] : [high, low]));
  }
  return kept;
}

function svgElement(name: string, attributes: Record<string, string | number>): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}
