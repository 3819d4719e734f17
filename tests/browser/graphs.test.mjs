// Graphs as the page draws them, with and without a script.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { axeSource, openPage, temporaryFolder } from "./support.mjs";

const evil = '<img src=x onerror="alert(1)">';
const graph = {
  kind: "graph",
  nodes: [{ id: "x", label: "input x\nfloat32" }, { id: "w" }, { id: "mm", label: "matmul" }, { id: evil, label: evil }],
  edges: [{ from: "x", to: "mm", label: "4 × 8" }, { from: "w", to: "mm" }, { from: "mm", to: evil, label: "]>;}" }],
  caption: "One step",
};

function render(environment = process.env) {
  const folder = temporaryFolder("graphs");
  writeFileSync(
    join(folder, "graphs.json"),
    `{"format":"lectern-trace/1",
"lecture":"graphs","profile":{"name":"cpu","threads":1,"compiler":"c","libraries":{}},
"records":[
{"source":0,"path":"graphs.cpp","language":"cpp","lines":["int main() {","  graph();","}"]},
{"function":0,"name":"main","source":0,"span":[1,1,3,2]},
{"site":0,"function":0,"span":[2,3,2,11],"kind":"hook"},
{"stack":0,"function":0},
{"at":0,"in":0,"enter":1,"show":[${JSON.stringify(graph)}]},
{"end":"return","steps":1}
]}
`,
  );
  const { status, stderr } = spawnSync(process.env.LECTERN_BIN, ["render", join(folder, "graphs.json"), "-o", join(folder, "site")], { encoding: "utf8", env: environment });
  assert.equal(status, 0, stderr);
  return { url: pathToFileURL(join(folder, "site/graphs/index.html")).href, warnings: stderr };
}

test("a graph is drawn in the page's colours, with and without a script", async () => {
  const { url, warnings } = render();
  assert.equal(warnings, "");
  const fills = new Set();
  for (const options of [{}, { theme: "dark" }, { script: false, width: 390 }, { width: 360, theme: "dark" }]) {
    const page = await openPage(url, options);
    const picture = page.locator(".graph svg");
    assert.equal(await picture.getAttribute("role"), "img");
    assert.equal(await picture.getAttribute("aria-label"), "One step");
    assert.deepEqual(await picture.locator(".box").evaluateAll((boxes) => boxes.map((box) => [...box.querySelectorAll("text")].map((line) => line.textContent).join("|"))), ["input x|float32", "w", "matmul", evil]);
    assert.deepEqual(await picture.locator(".label").allTextContents(), ["4 × 8", "]>;}"]);
    assert.equal(await picture.locator(".arrow").count(), 3);
    assert.equal(await picture.locator("img").count(), 0);
    // Every line of text lies within its box, whatever the font.
    const inside = await picture.locator(".box").evaluateAll((boxes) =>
      boxes.every((box) => {
        const outer = box.querySelector("rect").getBoundingClientRect();
        return [...box.querySelectorAll("text")].every((text) => {
          const inner = text.getBoundingClientRect();
          return inner.left >= outer.left && inner.right <= outer.right && inner.top >= outer.top - 2 && inner.bottom <= outer.bottom + 2;
        });
      }),
    );
    assert.ok(inside, "labels fit their boxes");
    fills.add(await picture.locator("rect").first().evaluate((rect) => getComputedStyle(rect).fill));
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0);
    assert.deepEqual(page.complaints, []);
    if (options.script !== false) {
      await page.evaluate(axeSource);
      const found = await page.evaluate(() => axe.run(".graph", { resultTypes: ["violations"] }));
      assert.deepEqual(found.violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`), []);
    }
    await page.context().close();
  }
  assert.equal(fills.size, 2, "light and dark");
});

test("without Graphviz a graph is a list, and the build says so", async () => {
  const folder = temporaryFolder("no programs");
  mkdirSync(join(folder, "bin"));
  const { url, warnings } = render({ ...process.env, PATH: join(folder, "bin") });
  assert.match(warnings, /graphs\.cpp:2: warning: graph: no picture is made of it, its edges are listed: there is no dot.*install graphviz/);
  const page = await openPage(url, { script: false });
  assert.equal(await page.locator(".graph svg").count(), 0);
  assert.match(await page.locator(".graph details pre").textContent(), /^x → mm {2}4 × 8\nw → mm\n/);
  await page.context().close();
});
