// The tables of functions and lines: sorted by any column, and with all lines where only those stand that cost most.

import { announce } from "./announce";
import type { CostData } from "./costs_data";
import { amountOf, duration, perSecond, quantity } from "./costs_text";
import { make } from "./element";
import { bringSourceRows } from "./source_rows";

export function initTables(): void {
  for (const table of document.querySelectorAll<HTMLTableElement>(".cost-table")) {
    [...table.tHead!.rows[0]!.cells].forEach((head, column) => {
      const button = make("button", { type: "button", textContent: head.textContent });
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const down = column === 0 ? head.getAttribute("aria-sort") === "ascending" : head.getAttribute("aria-sort") !== "descending";
        sort(table, column, down);
        announce(() => `Sorted by ${head.textContent!}, ${down ? "descending" : "ascending"}.`);
      });
    });
  }
}

function sort(table: HTMLTableElement, column: number, down: boolean): void {
  for (const [index, head] of [...table.tHead!.rows[0]!.cells].entries()) {
    if (index === column) head.setAttribute("aria-sort", down ? "descending" : "ascending");
    else head.removeAttribute("aria-sort");
  }
  const body = table.tBodies[0]!;
  const rows = [...body.rows].map((row) => ({ row, text: row.cells[column]!.textContent! }));
  if (column === 0) rows.sort((a, b) => a.text.localeCompare(b.text, "en", { numeric: true }));
  else {
    const amounts = new Map(rows.map((each) => [each, amountOf(each.text)]));
    rows.sort((a, b) => amounts.get(a)! - amounts.get(b)!);
  }
  if (down) rows.reverse();
  body.append(...rows.map(({ row }) => row));
}

/** Adds a button that completes the table of lines. */
export function offerAllLines(data: CostData): void {
  const table = document.querySelector<HTMLTableElement>('.cost-table[data-kind="line"]');
  const about = table?.parentElement!.nextElementSibling;
  if (!table || !about || table.tBodies[0]!.rows.length >= data.lines.length) return;
  const button = make("button", { type: "button", textContent: `All ${data.lines.length.toLocaleString("en")} lines` });
  button.addEventListener("click", async () => {
    await bringSourceRows(); // of hooks the code is only there
    const heads = [...table.tHead!.rows[0]!.cells];
    table.tBodies[0]!.replaceChildren(...data.lines.map((line) => rowOf(line, heads.slice(1).map((head) => head.textContent!), data.devices)));
    const column = Math.max(1, heads.findIndex((head) => head.hasAttribute("aria-sort")));
    sort(table, column, heads[column]!.getAttribute("aria-sort") !== "ascending");
    table.parentElement!.focus();
    about.remove();
  });
  about.append(" ", button);
}

function rowOf(line: CostData["lines"][number], heads: readonly string[], devices: readonly string[]): HTMLTableRowElement {
  const [source, number, runs, ns, self, flops, bytes, peaks, hidden] = line;
  const amounts: Record<string, string> = {
    Time: ns > 0 ? duration(ns) : "",
    Self: self > 0 ? duration(self) : "",
    FLOPs: flops > 0 ? quantity(flops) : "",
    "FLOP/s": flops > 0 && ns > 0 ? quantity(perSecond(flops, ns)) : "",
    Moved: bytes > 0 ? quantity(bytes, "B") : "",
    Runs: runs.toLocaleString("en"),
  };
  devices.forEach((device, index) => (amounts[`Peak, ${device}`] = (peaks[index] ?? 0) > 0 ? quantity(peaks[index]!, "B") : ""));
  const path = document.querySelector(`.source[data-source="${source}"] > h2.path`)?.textContent ?? "";
  const place = `${path}${path === "" ? "" : ":"}${number}`;
  const row = document.getElementById(`s${source}-${number}r`) ?? document.getElementById(`s${source}-${number}`);
  const code = row?.querySelector(".c > code")?.textContent!.trim() ?? "";
  const link = hidden ? make("span", { textContent: place }) : make("a", { href: `#s${source}-${number}`, textContent: place });
  const head = make("th", { scope: "row" }, link, " ", make("code", { textContent: code.length > 48 ? `${code.slice(0, 48)}…` : code }));
  return make("tr", {}, head, ...heads.map((name) => make("td", { textContent: amounts[name] ?? "" })));
}
