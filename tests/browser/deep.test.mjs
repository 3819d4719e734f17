// A lecture that recurses without end: its call stack has as many frames as the run has steps.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { changes, openPage, press, shownStep, temporaryFolder } from "./support.mjs";

const depth = 104_708;

/** `main` calls `f`, which calls itself until the stack overflows. */
function trace() {
  const records = [
    { source: 0, path: "deep.cpp", language: "cpp", lines: ["int f(int n) {", "  return f(n + 1);", "}", "int main() {", "  f(0);", "}"] },
    { function: 0, name: "f", source: 0, span: [1, 1, 3, 2] },
    { function: 1, name: "main", source: 0, span: [4, 1, 6, 2] },
    { site: 0, function: 0, span: [2, 3, 2, 20], kind: "return" },
    { site: 1, function: 1, span: [5, 3, 5, 8] },
    { stack: 0, function: 1 },
    { at: 1, in: 0, enter: 1 },
  ];
  for (let stack = 1; stack < depth; ++stack) {
    records.push({ stack, function: 0, parent: stack - 1, call: stack === 1 ? 1 : 0 });
    records.push({ at: 0, in: stack, enter: 1 });
  }
  Object.assign(records.at(-1), { ended: { by: "signal", signal: "SIGSEGV", what: "stack overflow" } });
  records.push({ end: "signal", signal: "SIGSEGV", steps: depth });
  return JSON.stringify({ format: "lectern-trace/1", lecture: "deep", profile: { name: "cpu" }, records });
}

const folder = temporaryFolder("deep");
writeFileSync(join(folder, "deep.json"), trace());
execFileSync(process.env.LECTERN_BIN, ["render", join(folder, "deep.json"), "-o", join(folder, "site")]);
const url = pathToFileURL(join(folder, "site/deep/index.html")).href;

test("a stack overflow's page is small, at its last step too", async (context) => {
  const bytes = statSync(join(folder, "site/deep/steps.js")).size;
  assert.ok(bytes < 26 * depth, `${bytes} bytes of data for ${depth} frames`);
  for (const hash of ["", `#step=${depth}`]) {
    const page = await openPage(url, { hash });
    const ready = await page.evaluate(() => performance.getEntriesByName("lectern-ready")[0].startTime);
    context.diagnostic(`ready after ${ready.toFixed(0)} ms`);
    const elements = await page.evaluate(() => document.querySelectorAll("*").length);
    assert.ok(elements < 2000, `${elements} elements for ${depth} frames`);
    assert.deepEqual(page.complaints, []);
    await page.context().close();
  }
});

test("of a deep stack the ends are shown, what is between is counted, and a step changes little", async (context) => {
  const page = await openPage(url, { hash: `#step=${depth}` });
  const frames = () => page.$$eval("#stack > li", (items) => items.map((item) => item.textContent));
  assert.deepEqual(await frames(), ["main:5", "f:2", `… ${(depth - 14).toLocaleString("en")} more …`, ...Array(12).fill("f:2")]);
  assert.equal(await page.getAttribute("#stack > li:last-child button", "aria-current"), "true");
  assert.deepEqual(await page.$$eval(".row.calling", (rows) => rows.map((row) => row.dataset.line)), ["5", "2"]);
  const changed = await changes(page, async () => {
    await press(page, "ArrowLeft");
    await press(page, "ArrowRight");
  });
  context.diagnostic(`two steps change ${changed} nodes`);
  assert.ok(changed < 200, `two steps change ${changed} nodes`);
  assert.equal(await shownStep(page), depth - 1);
  await page.click('#stack button[data-depth="0"]');
  assert.equal(await page.getAttribute('#stack button[data-depth="0"]', "aria-current"), "true");
  await press(page, "h");
  assert.equal((await frames())[2], `… ${(depth - 15).toLocaleString("en")} more …`);
  assert.equal(await page.getAttribute("#stack > li:last-child button", "aria-current"), "true", "the innermost is selected again");
  await page.context().close();
});

test("a stack of few frames is shown whole", async () => {
  const page = await openPage(url, { hash: "#step=14" });
  assert.equal(await page.locator("#stack > li").count(), 14);
  assert.equal(await page.locator("#stack > .skipped").count(), 0);
  await press(page, "ArrowRight");
  assert.equal(await page.locator("#stack > .skipped").textContent(), "… 1 more …");
  await page.context().close();
});
