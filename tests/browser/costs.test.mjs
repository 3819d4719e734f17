// What a run cost: at its steps, under the slider, beside the code, in tables and as a flame graph.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { colours, drawn, goTo, openPage, press, reload, setTheme, shownStep, temporaryFolder, violations } from "./support.mjs";

const folder = temporaryFolder("costs");
const wide = { width: 1280, height: 860 };
const narrow = { width: 390, height: 780 };

const lines = [
  "void fast() { copy(); }", "void slow() { multiply(); }", "int main() {", "  for (int i = 0; i < 20; ++i) {",
  "    fast();", "    slow();", "  }", ...Array.from({ length: 60 }, (_, i) => `  x${i} = ${i};`), "}",
];

const ceilings = { cpu: { flops: { float32: 1e11, float64: 5e10, bfloat16: 2e11 }, bytes: 2e10, measured: true } };

/** main's loop calls fast, which moves bytes, and slow, which multiplies; 60 statements follow that cost little. */
function trace(name, costs) {
  const records = [
    { source: 0, path: "costs.cpp", language: "cpp", lines },
    { function: 0, name: "main", source: 0, span: [3, 1, 68, 2] },
    { function: 1, name: "fast", source: 0, span: [1, 1, 1, 24] },
    { function: 2, name: "slow", source: 0, span: [2, 1, 2, 28] },
    { site: 0, function: 0, span: [4, 3, 7, 4], kind: "loop" },
    { site: 1, function: 0, span: [5, 5, 5, 12] },
    { site: 2, function: 0, span: [6, 5, 6, 12] },
    { site: 3, function: 1, span: [1, 15, 1, 22] },
    { site: 4, function: 2, span: [2, 15, 2, 26] },
    ...Array.from({ length: 60 }, (_, i) => ({ site: 5 + i, function: 0, span: [8 + i, 3, 8 + i, 9] })),
    { stack: 0, function: 0 },
    { stack: 1, function: 1, parent: 0, call: 1 },
    { stack: 2, function: 2, parent: 0, call: 2 },
  ];
  const step = (at, stack, more, cost) => records.push({ at, in: stack, ...more, ...(costs ? cost : {}) });
  for (let i = 0; i < 20; ++i) {
    step(0, 0, i === 0 ? { enter: 1 } : {}, { ns: 100 });
    step(1, 0, {}, { ns: 100 });
    step(3, 1, { enter: 1 }, { ns: 1_000, bytes: 64_000, memory: { cpu: [1_000 * (i + 1), 1_000 * (i + 1)] } });
    step(1, 0, { after: true }, { ns: 100 });
    step(2, 0, {}, { ns: 100 });
    step(4, 2, { enter: 1 }, { ns: i === 10 ? 900_000 : 100_000, flops: 2_000_000, bytes: 8_000, memory: { cpu: [1_000 * (i + 1), 50_000] } });
    step(2, 0, { after: true }, { ns: 100 });
  }
  for (let i = 0; i < 60; ++i) step(5 + i, 0, {}, { ns: 10 + i });
  records.push({ end: "return", steps: 200 });
  writeFileSync(join(folder, `${name}.json`), JSON.stringify({ format: "lectern-trace/1", lecture: name, profile: { name: "cpu", ceilings }, records }));
  execFileSync(process.env.LECTERN_BIN, ["render", join(folder, `${name}.json`), "-o", join(folder, "site")]);
  return pathToFileURL(join(folder, "site", name, "index.html")).href;
}

const url = trace("costs", true);
/** Steps from 0: slow's in the eleventh pass. */
const spike = 7 * 10 + 5;

async function withPage(options, body) {
  const page = await openPage(url, options);
  if (options.script !== false) await page.waitForFunction(() => /\d/.test(document.querySelector(".step-cost tbody td").textContent));
  await body(page);
  assert.deepEqual(page.complaints, []);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0, "nothing scrolls sideways");
  await page.context().close();
}

const amounts = (page) =>
  page.$$eval(".step-cost tbody tr", (rows) => Object.fromEntries(rows.map(({ cells }) => [cells[0].textContent, [cells[1].textContent, cells[2].textContent]])));
const firstOf = (page, kind) => page.$$eval(`.cost-table[data-kind="${kind}"] tbody tr`, (rows) => rows.map((row) => row.cells[0].textContent.trim()));

test("the state says what the step cost, and its line in all passes", () =>
  withPage(wide, async (page) => {
    assert.deepEqual(await page.evaluate(() => window.shifts), [], "nothing moves when the costs come");
    await goTo(page, spike);
    assert.deepEqual(await amounts(page), {
      Time: ["900 µs", "2.8 ms"], FLOPs: ["2 M", "40 M"], "FLOP/s": ["2.22 G", "14.3 G"], Moved: ["8 kB", "160 kB"], "B/s": ["8.89 M", "57.1 M"],
      "Memory, cpu": ["11 kB", ""], "Peak, cpu": ["50 kB", "50 kB"],
    });
    assert.equal(await page.textContent(".step-cost thead tr th:last-child"), "line, 20 passes");
    await goTo(page, spike + 1); // memory as it was, without that peak
    assert.deepEqual((await amounts(page))["Peak, cpu"], ["11 kB", "50 kB"]);
    assert.deepEqual((await amounts(page)).FLOPs, ["–", "40 M"], "the line of the call is told with what it called");
  }));

for (const size of [wide, narrow]) {
  test(`columns beside the code, by key and button, remembered, at ${size.width} pixels`, () =>
    withPage(size, async (page) => {
      assert.equal(await page.locator(".row > .cost").count(), 0);
      await page.click('[data-action="costs"]');
      await page.waitForSelector("#s0-2 > .cost");
      const shown = await page.$$eval("#s0-2 > .cost > span", (all) => all.filter((each) => each.checkVisibility()).map((each) => each.textContent));
      assert.deepEqual(shown, size === wide ? ["2.8 ms", "40 M", "50 kB"] : ["2.8 ms"]);
      assert.equal(await page.getAttribute("#s0-6 > .cost", "title"), "Over 20 passes: time 2.8 ms, FLOPs 40 M, peak 50 kB");
      const heads = await page.$$eval(".cost-heads > span", (all) => all.filter((each) => each.checkVisibility()).map((each) => [each.textContent, Math.round(each.getBoundingClientRect().right)]));
      const columns = await page.$$eval("#s0-2 > .cost > span", (all) => all.filter((each) => each.checkVisibility()).map((each) => Math.round(each.getBoundingClientRect().right)));
      assert.deepEqual(heads.map(([, right]) => right), columns, "heads stand over their columns");
      await reload(page);
      await page.waitForSelector("#s0-2 > .cost");
      assert.equal(await page.getAttribute('[data-action="costs"]', "aria-pressed"), "true");
      assert.deepEqual(await page.evaluate(() => window.shifts), [], "the columns have their place from the start");
      await press(page, "f");
      assert.equal(await page.locator("#s0-2 > .cost").isVisible(), false);
    }));

  test(`the section has its place at ${size.width} pixels`, () =>
    withPage(size, async (page) => {
      await press(page, "f");
      await page.click("details.costs > summary");
      assert.ok(await page.locator(".flame a.frame").first().isVisible());
    }));
}

test("curves under the slider have a cursor, and the pointer reads them", () =>
  withPage(wide, async (page) => {
    const places = async () => [await page.locator(".run-costs .now").boundingBox(), await page.locator(".run-costs").boundingBox()];
    for (const step of [0, spike, 199]) {
      await goTo(page, step);
      const [cursor, box] = await places();
      assert.ok(Math.abs(cursor.x + 1 - (box.x + (box.width * step) / 199)) < 1.5, `the cursor at step ${step}`);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), wide.width, `nothing scrolls sideways at step ${step}`);
    }
    const [, box] = await places();
    const x = box.width * (spike / 199);
    await page.locator(".run-costs").hover({ position: { x: x + 2, y: 9 } }); // beside the peak, which is narrow
    assert.equal(await page.textContent(".cost-tip"), `step ${spike + 1}: 900 µs · 2 MFLOP · 8 kB moved · cpu 11 kB, peak 50 kB`);
    await page.locator(".run-costs").click({ position: { x: x + 2, y: 9 } });
    await drawn(page);
    assert.equal(await shownStep(page), spike);
    await page.mouse.move(600, 300);
    assert.equal(await page.locator(".cost-tip").isVisible(), false);
  }));

test("on a phone the curves are there when costs are switched on", () =>
  withPage(narrow, async (page) => {
    assert.equal(await page.locator(".run-costs").isVisible(), false);
    await press(page, "f");
    assert.ok(await page.locator(".run-costs").isVisible());
    assert.ok(await page.locator(".step-cost").isVisible());
  }));

test("tables sort by any column, with the keyboard, and name all lines", () =>
  withPage(wide, async (page) => {
    await page.evaluate(() => (document.querySelector("details.costs").open = true));
    assert.deepEqual(await firstOf(page, "function"), ["main 3", "slow 2", "fast 1"]);
    const button = (kind, name) => page.locator(`.cost-table[data-kind="${kind}"] thead button`, { hasText: name }).first();
    await button("function", "Moved").focus();
    await page.keyboard.press("Enter");
    assert.deepEqual(await firstOf(page, "function"), ["main 3", "fast 1", "slow 2"]);
    assert.equal(await page.locator('.cost-table[data-kind="function"] th[aria-sort="descending"]').textContent(), "Moved");
    await page.keyboard.press("Enter");
    assert.deepEqual(await firstOf(page, "function"), ["slow 2", "fast 1", "main 3"]);
    assert.equal(await page.locator('.cost-table[data-kind="function"] [aria-sort]').getAttribute("aria-sort"), "ascending");
    await button("function", "Function").click();
    assert.deepEqual(await firstOf(page, "function"), ["fast 1", "main 3", "slow 2"]);

    const few = await firstOf(page, "line");
    assert.ok(few.length < 65, `${few.length} lines`);
    await page.click('button:text-is("All 65 lines")');
    assert.deepEqual((await firstOf(page, "line")).slice(0, 3), few.slice(0, 3));
    assert.equal((await firstOf(page, "line")).length, 65);
    await button("line", "Time").click();
    assert.equal((await firstOf(page, "line"))[0], "8 x0 = 0;", "the one that took least");
    await page.click('.cost-table[data-kind="line"] a:text-is("67")');
    assert.ok(await page.locator("#s0-67").evaluate((row) => row.getBoundingClientRect().top < innerHeight), "a row leads to its line");
  }));

test("the flame graph by keyboard; its width by time or FLOPs", () =>
  withPage(wide, async (page) => {
    await page.evaluate(() => (document.querySelector("details.costs").open = true));
    const focused = () => page.evaluate(() => document.activeElement.querySelector("b")?.textContent);
    await page.focus('.flame a[tabindex="0"]');
    assert.equal(await page.locator('.flame a[tabindex="0"]').count(), 1, "one stop of the Tab key");
    const way = [["ArrowDown", "fast"], ["ArrowRight", "slow"], ["ArrowRight", "slow"], ["ArrowLeft", "fast"], ["ArrowUp", "main"], ["ArrowDown", "fast"]];
    for (const [key, name] of way) {
      await page.keyboard.press(key);
      assert.equal(await focused(), name, key);
    }
    assert.equal(await page.textContent(".frame-told"), "fast: 20 µs, 1.28 MB moved, 20 calls");
    assert.equal(await shownStep(page), 0, "the arrows were the graph's");
    const width = (name) => page.locator(".flame a.frame", { hasText: name }).evaluate((frame) => frame.parentElement.getBoundingClientRect().width / document.querySelector(".flame").clientWidth);
    assert.ok(Math.abs((await width("slow")) - 2_800_000 / 2_832_370) < 0.01);
    await page.check('[name="flame-by"][value="flops"]');
    assert.ok(Math.abs((await width("slow")) - 1) < 0.01);
    assert.equal(await page.locator(".flame a.frame", { hasText: "fast" }).isVisible(), false);
    await page.focus(".flame li li:not(.no-flops) > a");
    await page.keyboard.press("ArrowLeft");
    assert.equal(await focused(), "slow", "frames that are not there are passed over");
  }));

for (const size of [wide, narrow]) {
  test(`the roofline leads to its lines, at ${size.width} pixels`, () =>
    withPage(size, async (page) => {
      await page.evaluate(() => (document.querySelector("details.costs").open = true));
      assert.deepEqual(await page.$$eval(".roofline .dot", (dots) => dots.map((dot) => [dot.getAttribute("href"), dot.getAttribute("aria-label")])),
        [["#s0-2", "costs.cpp:2: void slow() { multiply(); }, 14.3 GFLOP/s, 250 FLOP/byte, 14% of its roof, 2.8 ms"]]);
      const [drawing, ...texts] = await page.$$eval(".roofline, .roofline text", (all) => all.map((each) => each.getBoundingClientRect().toJSON()));
      for (const { left, right } of texts) assert.ok(left >= drawing.left - 1 && right <= drawing.right + 1, "all text is inside");
      assert.deepEqual(await violations(page, ".roofline", { preload: false }), []);
      await setTheme(page, "dark");
      assert.deepEqual(await violations(page, ".roofline", { ...colours, preload: false }), []);
      await page.locator(".roofline .dot").focus();
      await page.keyboard.press("Enter");
      await drawn(page);
      assert.ok(await page.locator("#s0-2").evaluate((row) => row.getBoundingClientRect().top < innerHeight && row.getBoundingClientRect().bottom > 0));
    }));
}

test("without script the section reads as it is", () =>
  withPage({ ...wide, script: false }, async (page) => {
    await page.click("details.costs > summary");
    for (const part of [".cost-curve svg", ".roofline .dot", ".flame a.frame", ".cost-table td"]) assert.ok(await page.locator(part).first().isVisible(), part);
    assert.equal(await page.locator(".cost-table button, .cost-heads, .run-costs").count(), 0);
    await page.check('[name="flame-by"][value="flops"]');
    assert.equal(await page.locator(".flame a.frame", { hasText: "fast" }).isVisible(), false);
  }));

test("a run without costs shows nothing of them", async () => {
  const page = await openPage(trace("free", false));
  assert.equal(await page.locator('.costs, .step-cost, .run-costs, [data-action="costs"]').count(), 0);
  assert.equal(existsSync(join(folder, "site/free/costs.js")), false);
  await press(page, "f");
  assert.match(await page.textContent("#message"), /not recorded/);
  assert.deepEqual(page.complaints, []);
  await page.context().close();
});

test("amounts halfway between two are rounded as in the tables", async () => {
  const { buildSync } = await import(new URL("../../site_templates/node_modules/esbuild/lib/main.js", import.meta.url)).then((each) => each.default);
  const made = buildSync({ entryPoints: [new URL("../../site_templates/src/costs_text.ts", import.meta.url).pathname], bundle: true, format: "esm", write: false });
  const { duration, quantity } = await import(`data:text/javascript;base64,${Buffer.from(made.outputFiles[0].text).toString("base64")}`);
  assert.deepEqual([3_625, 3_635, 12_250, 122_500, 123_500, 1_500].map(duration), ["3.62 µs", "3.63 µs", "12.2 µs", "122 µs", "124 µs", "1.5 µs"]);
  assert.deepEqual([0.0625, 2.345e9, 3.625e6].map((count) => quantity(count, "B")), ["0.0625 B", "2.35 GB", "3.62 MB"]);
});
