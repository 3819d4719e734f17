// A lecture of statements that show something, and nothing else.

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** Renders it in a folder; `shows` has what each statement shows. Returns the address of the page. */
export function renderShows(folder, name, shows, path = `${name}.cpp`) {
  const lines = ["int main() {", ...shows.map((_, i) => `  show("${i}");`), "}"];
  const records = [
    { source: 0, path, language: "cpp", lines },
    { function: 0, name: "main", source: 0, span: [1, 1, lines.length, 2] },
    ...shows.map((_, i) => ({ site: i, function: 0, span: [i + 2, 3, i + 2, 13], kind: "hook" })),
    { stack: 0, function: 0 },
    ...shows.map((show, i) => ({ at: i, in: 0, ...(i === 0 ? { enter: 1 } : {}), show })),
    { end: "return", steps: shows.length },
  ];
  writeFileSync(join(folder, `${name}.json`), JSON.stringify({ format: "lectern-trace/1", lecture: name, profile: { name: "cpu" }, records }));
  execFileSync(process.env.LECTERN_BIN, ["render", join(folder, `${name}.json`), "-o", join(folder, "site")]);
  return pathToFileURL(join(folder, "site", name, "index.html")).href;
}
