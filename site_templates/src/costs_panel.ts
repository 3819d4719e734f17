// What the step cost, and its line in all its passes: at the foot of the state.

import type { RunCosts } from "./costs_run";
import { duration, perSecond, quantity } from "./costs_text";
import { make } from "./element";

interface Amounts {
  ns: number;
  flops: number;
  bytes: number;
}

/** Without an amount there is nothing to say. */
const told = (amount: number, show: (amount: number) => string): string => (amount > 0 ? show(amount) : "–");

const facts: [string, (amounts: Amounts) => string][] = [
  ["Time", ({ ns }) => told(ns, duration)],
  ["FLOPs", ({ flops }) => told(flops, quantity)],
  ["FLOP/s", ({ flops, ns }) => told(perSecond(flops, ns), quantity)],
  ["Moved", ({ bytes }) => told(bytes, (amount) => quantity(amount, "B"))],
  ["B/s", ({ bytes, ns }) => told(perSecond(bytes, ns), quantity)],
];

export class StepCost {
  private readonly body = make("tbody", {});
  private readonly passes = make("th", { scope: "col" });

  constructor(heads: readonly string[]) {
    const all = make("a", { href: "#costs", textContent: "all costs" });
    const title = make("h2", { id: "cost-title" }, "Cost ", all);
    const head = make("thead", {}, make("tr", {}, make("td", {}), make("th", { scope: "col", textContent: "this step" }), this.passes));
    // All rows from the start: nothing moves when the amounts come.
    this.body.append(...heads.map((name) => row(name, "–", "–")));
    const section = make("section", { className: "step-cost" }, title, make("table", {}, head, this.body));
    section.setAttribute("aria-labelledby", title.id);
    document.querySelector(".env")!.append(section);
    all.addEventListener("click", () => (document.querySelector<HTMLDetailsElement>("details.costs")!.open = true));
  }

  show(costs: RunCosts, step: number, source: number, line: number): void {
    const entry = costs.line(source, line);
    const own: Amounts = { ns: costs.ns(step), flops: costs.flops(step), bytes: costs.bytes(step) };
    const all: Amounts = { ns: entry?.[3] ?? 0, flops: entry?.[5] ?? 0, bytes: entry?.[6] ?? 0 };
    const runs = entry?.[2] ?? 0;
    set(this.passes, runs === 1 ? "line, 1 pass" : `line, ${runs.toLocaleString("en")} passes`);
    const amounts = new Map(facts.map(([name, show]) => [name, [show(own), show(all)]]));
    costs.memory(step).forEach(({ device, now, peak }, index) => {
      amounts.set(`Memory, ${device}`, [quantity(now, "B"), ""]);
      amounts.set(`Peak, ${device}`, [quantity(peak, "B"), told(entry?.[7][index] ?? 0, (amount) => quantity(amount, "B"))]);
    });
    for (const shown of this.body.rows) {
      const [ofStep, ofLine] = amounts.get(shown.cells[0]!.textContent!) ?? ["–", "–"];
      set(shown.cells[1]!, ofStep!);
      set(shown.cells[2]!, ofLine!);
    }
  }
}

/** The rows that a run has, by the heads of its tables. */
export function rowsOf(heads: readonly string[]): string[] {
  const rows = facts.map(([name]) => name).filter((name) => heads.includes(name === "B/s" ? "Moved" : name));
  const timed = heads.includes("Time");
  const memory = heads.filter((head) => head.startsWith("Peak, ")).flatMap((head) => [head.replace("Peak", "Memory"), head]);
  return [...rows.filter((name) => timed || !name.endsWith("/s")), ...memory];
}

function row(name: string, ofStep: string, ofLine: string): HTMLTableRowElement {
  const cells = [ofStep, ofLine].map((textContent) => make("td", { textContent }));
  return make("tr", {}, make("th", { scope: "row", textContent: name }), ...cells);
}

function set(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
