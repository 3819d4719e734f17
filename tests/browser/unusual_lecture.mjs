// A lecture with what those of this repository have not: a statement that shows something else in each pass, a branch that
// never ran, and more hidden lines than a block holds.

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { temporaryFolder } from "./support.mjs";

const folder = temporaryFolder("unusual");

const body = ["int main() {", "  for (int i = 0; i < 3; ++i) {", "    text(\"Pass {}\", i);", "    if (i > 5) {", "      stop();", "    }", "  }", "}"];
const hidden = ["void table() {  // @hide", ...Array.from({ length: 400 }, (_, i) => `  add("an entry of a long table that no reader has to see", ${i});`), "}"];
/** Lines: of the statement that shows something, of the one that never ran. */
export const lines = { shown: 3, never: 5 };
export const passes = 3;
/** The step at which the statement shows something, by pass. */
export const showing = (pass) => 3 * pass + 1;

function trace() {
  const begin = body.length + 1;
  const records = [
    { source: 0, path: "unusual.cpp", language: "cpp", lines: [...body, ...hidden], hidden: [[begin, begin + hidden.length - 1]] },
    { function: 0, name: "main", source: 0, span: [1, 1, 8, 2] },
    { site: 0, function: 0, span: [2, 3, 7, 4], kind: "loop", body: 3 },
    { site: 1, function: 0, span: [3, 5, 3, 25], kind: "hook" },
    { site: 2, function: 0, span: [4, 5, 6, 6], kind: "branch" },
    { site: 3, function: 0, span: [5, 7, 5, 14] },
    { stack: 0, function: 0 },
  ];
  for (let i = 0; i < passes; ++i) {
    records.push({ at: 0, in: 0, ...(i === 0 ? { enter: 1 } : {}) });
    records.push({ at: 1, in: 0, show: [{ kind: "text", markdown: `Pass ${i}` }] });
    records.push({ at: 2, in: 0 });
  }
  records.push({ end: "return", steps: 3 * passes });
  return JSON.stringify({ format: "lectern-trace/1", lecture: "unusual", profile: { name: "cpu" }, records });
}

writeFileSync(join(folder, "unusual.json"), trace());
execFileSync(process.env.LECTERN_BIN, ["render", join(folder, "unusual.json"), "-o", join(folder, "site")]);
export const url = pathToFileURL(join(folder, "site/unusual/index.html")).href;
