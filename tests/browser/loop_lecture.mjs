// A lecture of one loop that calls a function, and what the tests share that step through it: of passes, histories,
// breakpoints and guesses.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { drawn, openPage, temporaryFolder } from "./support.mjs";

export const passes = 6;
export const folder = temporaryFolder("passes");

const vector = (items) => ({ type: "std::vector<int>", items });
const tensor = (data) => ({ type: "lectern::Tensor", dtype: "float32", shape: [2, 2], strides: [2, 1], device: "cpu", storage: 1, storage_bytes: 16, data });
const scalar = (value) => ({ type: "lectern::Tensor", dtype: "float32", shape: [], strides: [], device: "cpu", storage: 2, storage_bytes: 4, data: [value] });

const lines = [
  "double half(double x) {", "  double y = x / 2;  // @inspect y", "  return y;", "}",
  "int main() {",
  "  for (int i = 0; i < 6; ++i) {",
  "    loss = half(loss);  // @inspect loss i",
  "    parts[1] = i;       // @inspect parts grid config",
  "  }",
  '  name = "abc";         // @inspect name total',
  "}",
];

/** main's loop runs six times; in each pass it calls half. */
function trace() {
  const records = [
    { source: 0, path: "passes.cpp", language: "cpp", lines },
    { function: 0, name: "main", source: 0, span: [5, 1, 11, 2] },
    { function: 1, name: "half", source: 0, span: [1, 1, 4, 2] },
    { site: 0, function: 0, span: [6, 3, 9, 4], kind: "loop" },
    { site: 1, function: 0, span: [7, 5, 7, 23] },
    { site: 2, function: 0, span: [8, 5, 8, 18] },
    { site: 3, function: 0, span: [10, 3, 10, 16] },
    { site: 4, function: 1, span: [2, 3, 2, 20] },
    { site: 5, function: 1, span: [3, 3, 3, 12], kind: "return" },
    { stack: 0, function: 0 },
    { stack: 1, function: 1, parent: 0, call: 1 },
  ];
  for (let i = 0; i < passes; ++i) {
    records.push({ at: 0, in: 0, ...(i === 0 ? { enter: 1 } : {}) });
    records.push({ at: 1, in: 0 });
    records.push({ at: 4, in: 1, enter: 1, vars: { y: 8 / 2 ** i } });
    records.push({ at: 5, in: 1 });
    records.push({ at: 1, in: 0, after: true, vars: { loss: scalar(8 / 2 ** i), i: { type: "int", value: i } } });
    const config = { type: "Config", fields: [["width", 64], ["depth", i]] };
    records.push({ at: 2, in: 0, vars: { parts: vector([7, i, 9]), grid: tensor([1, 2, i, 4]), config } });
  }
  records.push({ at: 3, in: 0, vars: { name: { type: "std::string", value: "abc" }, total: { type: "double", value: 1330787 } } });
  records.push({ end: "return", steps: 6 * passes + 1 });
  return JSON.stringify({ format: "lectern-trace/1", lecture: "passes", profile: { name: "cpu" }, records });
}

/** Steps: six in a pass, the last statement after all. */
export const step = { header: (i) => 6 * i, begin: (i) => 6 * i + 1, inside: (i) => 6 * i + 2, after: (i) => 6 * i + 4, parts: (i) => 6 * i + 5, end: 6 * passes };

writeFileSync(join(folder, "passes.json"), trace());
execFileSync(process.env.LECTERN_BIN, ["render", join(folder, "passes.json"), "-o", join(folder, "site")]);
export const url = pathToFileURL(join(folder, "site/passes/index.html")).href;

export const wide = { width: 1280, height: 860 };
export const narrow = { width: 390, height: 780 };

/** Once on a large window and once on a phone. */
export function onBoth(name, body, sizes = [wide, narrow]) {
  for (const size of sizes) {
    test(`${name}, at ${size.width} pixels`, async () => {
      const page = await openPage(url, size);
      await body(page, size);
      assert.deepEqual(page.complaints, []);
      const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.equal(wider, 0, "nothing scrolls sideways");
      await page.context().close();
    });
  }
}

/** On a phone alone, where there is least room, since what it does is the same on both. */
export const onPhone = (name, body) => onBoth(name, body, [narrow]);

export async function click(page, action) {
  await page.click(`[data-action="${action}"]`);
  await drawn(page);
}

export const heard = (page, pattern) => page.waitForFunction((source) => new RegExp(source).test(document.getElementById("live").textContent), pattern);
export const variable = (page, name) => page.locator(`#vars > .var:has(.b:text-is("${name}"))`);

/** Waits until it no longer plays, and shows where it stopped. */
export async function played(page) {
  await page.waitForFunction(() => !document.querySelector(".bar.playing"));
  await drawn(page);
}

/** What can be pressed in a part of the page is named, and on a phone large enough for a finger. */
export async function expectControls(page, part, size) {
  const found = await page.$$eval(`${part} :is(button, input)`, (all) =>
    all.filter((each) => each.checkVisibility()).map((each) => {
      const { width, height } = each.getBoundingClientRect();
      return { name: (each.getAttribute("aria-label") ?? each.textContent).trim(), width, height };
    }),
  );
  assert.ok(found.length > 0, part);
  for (const { name, width, height } of found) {
    assert.notEqual(name, "");
    const least = size === narrow ? 44 : 24;
    assert.ok(width >= least && height >= least, `${name}: ${width} × ${height} at ${size.width}`);
  }
}
