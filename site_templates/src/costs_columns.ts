// What each line cost over all its passes, in columns beside the code: time, FLOPs, the peak of memory. A bar behind each
// amount is its share of the whole.

import type { CostData } from "./costs_data";
import { duration, quantity } from "./costs_text";
import { make } from "./element";

type Line = CostData["lines"][number];

interface Measure {
  head: string;
  of(line: Line): number;
  show(amount: number): string;
}

const measures: Measure[] = [
  { head: "time", of: (line) => line[3], show: duration },
  { head: "FLOPs", of: (line) => line[5], show: (amount) => quantity(amount) },
  { head: "peak", of: (line) => Math.max(0, ...line[7]), show: (amount) => quantity(amount, "B") },
];

/** Prose costs something too; it is said only where it is more than this share of the whole. */
const leastOfProse = 0.005;

/** The heads of the columns; their place is there before (cost-columns-3 of the body). */
export function columnHeads(): void {
  const known = new Set([...document.querySelectorAll(".cost-table th")].map((head) => head.textContent!.split(",")[0]!.toLowerCase()));
  const heads = measures.filter(({ head }) => known.has(head.toLowerCase()));
  const row = make("div", { className: "cost-heads" }, ...heads.map(({ head }) => make("span", { textContent: head })));
  row.setAttribute("aria-hidden", "true"); // each amount says what it is
  document.querySelector(".lec")!.prepend(row);
}

export function fillColumns(data: CostData): void {
  const shown = measures
    .map((measure) => ({ ...measure, most: data.lines.reduce((most, line) => Math.max(most, measure.of(line)), 0) }))
    .filter(({ most }) => most > 0);
  for (const line of data.lines) {
    const [source, number, runs] = line;
    const shares = shown.map(({ of, most }) => of(line) / most);
    const words = shown.flatMap(({ head, of, show }) => (of(line) > 0 ? [`${head} ${show(of(line))}`] : []));
    if (words.length === 0) continue;
    const passes = runs === 1 ? "one pass" : `${runs.toLocaleString("en")} passes`;
    for (const id of [`s${source}-${number}`, `s${source}-${number}r`]) {
      const row = document.getElementById(id);
      if (!row || row.querySelector(":scope > .cost") || (row.classList.contains("shown") && Math.max(...shares) < leastOfProse)) continue;
      const amounts = shown.map(({ head, of, show }, index) => {
        const amount = make("span", { textContent: of(line) > 0 ? show(of(line)) : "" });
        amount.dataset.measure = head;
        amount.style.setProperty("--share", `${(100 * shares[index]!).toFixed(1)}%`);
        return amount;
      });
      row.append(make("div", { className: "cost", title: `Over ${passes}: ${words.join(", ")}` }, ...amounts));
    }
  }
}
