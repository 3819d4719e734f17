// A lecture that was recorded on two devices: one page with a switch.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { colours, drawn, goTo, openPage, press, setTheme, shownStep, temporaryFolder, violations } from "./support.mjs";

const folder = temporaryFolder("runs");
const count = 60;

/**
 * main has a line for each of its steps. `skipped`: lines that the run did not come to; `first`: further files come first, as
 * where another one is reached first, so that the numbers of files, functions and statements are others; `reworded`: a line that is
 * written in another way.
 */
function trace(profile, { device, skipped = [], first = 0, reworded = -1, old = false } = {}) {
  const lines = ["int main() {", ...Array.from({ length: count }, (_, i) => `  x = ${i === reworded ? "stride" : "step"}(${i});  // @inspect x`), old ? "} // old" : "}"];
  const records = [];
  for (let i = 0; i < first; ++i) records.push({ source: i, path: `other${i}.cpp`, language: "cpp", lines: ["void f() {}"] });
  records.push({ source: first, path: "runs.cpp", language: "cpp", lines }, { function: 0, name: "main", source: first, span: [1, 1, count + 2, 2] });
  for (let i = 0; i < count; ++i) records.push({ site: i, function: 0, span: [i + 2, 3, i + 2, 15] });
  records.push({ stack: 0, function: 0 });
  let steps = 0;
  for (let i = 0; i < count; ++i) {
    if (skipped.includes(i)) continue;
    records.push({ at: i, in: 0, ...(steps++ === 0 ? { enter: 1 } : {}), vars: { x: `${profile} ${i}` } });
  }
  records.push({ end: "return", steps });
  return JSON.stringify({ format: "lectern-trace/1", lecture: "runs", profile: { name: profile, device }, records });
}

/** The site of a CPU's trace and a GPU's; the address of the first's page. */
function rendered(name, gpu) {
  for (const [profile, options] of [["cpu", {}], ["cuda", gpu]]) {
    mkdirSync(join(folder, name, profile), { recursive: true });
    writeFileSync(join(folder, name, profile, "runs.json"), trace(profile, options));
  }
  const traces = ["cpu", "cuda"].map((profile) => join(folder, name, profile, "runs.json"));
  execFileSync(process.env.LECTERN_BIN, ["render", ...traces, "-o", join(folder, name, "site")], { stdio: ["ignore", "pipe", "pipe"] });
  return pathToFileURL(join(folder, name, "site/runs/index.html")).href;
}

const url = rendered("same", { device: "NVIDIA H200", skipped: [1, 40, 41], first: 2 });
const link = (device) => `.runs a:text-is("${device}")`;
const value = (page) => page.locator("#vars .var .v, #vars .var").first().textContent();

/** Presses what leads to another run, and waits for its page. */
async function go(page, act, path) {
  await Promise.all([page.waitForURL((to) => to.pathname.endsWith(path)), act()]);
  await page.waitForFunction(() => document.documentElement.classList.contains("ready"));
  await drawn(page);
}
/** As a hand does it: Playwright's own click scrolls first, since the bar is where no target of a link should be. */
async function click(page, device) {
  const { x, y, width, height } = await page.locator(link(device)).boundingBox();
  await page.mouse.click(x + width / 2, y + height / 2);
}
const toGpu = (page, act = () => click(page, "NVIDIA H200")) => go(page, act, "runs/cuda/index.html");
const toCpu = (page, act = () => click(page, "CPU")) => go(page, act, "runs/index.html");
const nowAt = (page) => page.locator(".row.now").first().evaluate((row) => ({ line: row.dataset.line, top: row.getBoundingClientRect().top }));

test("without a script the switch is two links", async () => {
  const page = await openPage(url, { script: false });
  assert.equal(await page.locator(".runs [aria-current=page]").textContent(), "CPU");
  await page.click(link("NVIDIA H200"));
  assert.match(page.url(), /runs\/cuda\/index\.html$/);
  assert.equal(await page.locator(".runs [aria-current=page]").textContent(), "NVIDIA H200");
  assert.match(await page.locator(".meta").first().textContent(), /recorded on NVIDIA H200/);
  await page.click(link("CPU"));
  assert.match(page.url(), /runs\/index\.html$/);
  await page.context().close();
});

test("the switch keeps the step, its place in the window and the history", async () => {
  const page = await openPage(url);
  await goTo(page, 30);
  await page.mouse.wheel(0, 130);
  await page.waitForTimeout(200);
  const before = await nowAt(page);
  const entries = await page.evaluate(() => history.length);
  await toGpu(page);
  assert.equal(await shownStep(page), 29, "one line less ran before");
  assert.match(await value(page), /cuda 30/);
  const after = await nowAt(page);
  assert.equal(after.line, before.line);
  assert.ok(Math.abs(after.top - before.top) <= 1, `${before.top} → ${after.top}`);
  assert.equal(await page.evaluate(() => history.length), entries, "Back leads out of the lecture");
  await toCpu(page);
  assert.equal(await shownStep(page), 30);
  assert.ok(Math.abs((await nowAt(page)).top - before.top) <= 1);
  assert.deepEqual(page.complaints, []);
  assert.deepEqual(await page.evaluate(() => window.violations), []);
  await page.context().close();
});

test("a reader who has not stepped stays where they read", async () => {
  const page = await openPage(url);
  await page.evaluate(() => scrollTo(0, 700));
  const topOf = (line) => page.locator(`.row[data-line="${line}"]`).last().evaluate((row) => row.getBoundingClientRect().top);
  const before = await topOf(40);
  await toGpu(page);
  assert.ok(Math.abs((await topOf(40)) - before) <= 1);
  assert.equal(new URL(page.url()).hash, "");
  await page.context().close();
});

test("a step that the other run lacks: the last one before it that both have, and the page says so", async () => {
  const page = await openPage(url);
  await goTo(page, 41);
  await toGpu(page);
  assert.match(await value(page), /cuda 39/);
  assert.match(await page.locator("#message p").textContent(), /did not come to that step/);
  await press(page, "ArrowRight");
  assert.equal(await page.locator("#message").isVisible(), false);
  await toCpu(page);
  assert.equal(await shownStep(page), 42);
  await page.context().close();
});

test("a step of a statement that the other run has not: so the page says", async () => {
  const page = await openPage(rendered("reworded", { device: "NVIDIA H200", reworded: 20 }));
  await goTo(page, 20);
  await toGpu(page);
  assert.match(await value(page), /cuda 19/);
  assert.match(await page.locator("#message p").textContent(), /^This run has no such statement\./);
  await page.context().close();
});

test("d switches too, and keeps what the address asks for", async () => {
  const page = await openPage(`${url}?present`);
  await toGpu(page, () => page.keyboard.press("d"));
  assert.equal(new URL(page.url()).search, "?present");
  await toCpu(page, () => page.keyboard.press("d"));
  await page.context().close();
});

test("from the keyboard the focus stays on the switch", async () => {
  const page = await openPage(url);
  await page.locator(link("NVIDIA H200")).focus();
  await toGpu(page, () => page.keyboard.press("Enter"));
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "NVIDIA H200");
  await page.context().close();
});

test("the device that was chosen is remembered, but for links to a place", async () => {
  const page = await openPage(url);
  await toGpu(page);
  await page.goto("about:blank");
  await go(page, () => page.goto(url).catch(() => undefined), "runs/cuda/index.html");
  await page.goto("about:blank");
  await page.goto(`${url}#step=4`);
  await drawn(page);
  assert.match(page.url(), /runs\/index\.html#/);
  assert.match(await value(page), /cpu 3/);
  await toGpu(page);
  await toCpu(page);
  await page.goto("about:blank");
  await page.goto(url);
  await drawn(page);
  assert.match(page.url(), /runs\/index\.html$/);
  await page.context().close();
});

test("a run of an earlier version says so", async () => {
  const page = await openPage(rendered("stale", { old: true }));
  await toGpu(page, () => click(page, "GPU"));
  assert.match(await page.locator(".stale").textContent(), /earlier version of the lecture/);
  assert.deepEqual(await violations(page), []);
  await page.context().close();
});

test("what a trace calls its device is text", async () => {
  const device = '"><img src=x onerror=alert(1)><b>';
  const page = await openPage(rendered("hostile", { device }));
  assert.equal(await page.locator(".runs a").last().textContent(), device);
  await toGpu(page, () => page.keyboard.press("d"));
  assert.equal(await page.locator("img, .runs b").count(), 0);
  assert.deepEqual(page.complaints, []);
  await page.context().close();
});

for (const width of [1280, 390, 360]) {
  test(`there is room for it at ${width} pixels, in both themes`, async () => {
    const page = await openPage(url, { width });
    const boxes = await page.$$eval(".top > *, .top .runs a, .top .tools button", (all) =>
      all.filter((each) => each.checkVisibility()).map((each) => ({ text: each.textContent.trim(), ...each.getBoundingClientRect().toJSON() })));
    for (const { text, left, right } of boxes) assert.ok(left >= 0 && right <= width, `${text}: ${left}–${right}`);
    const least = width === 1280 ? 24 : 40;
    for (const { text, height } of boxes.filter((box) => ["CPU", "NVIDIA H200"].includes(box.text))) assert.ok(height >= least, `${text}: ${height}`);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0);
    for (const [theme, rules] of [["light", {}], ["dark", colours]]) {
      await setTheme(page, theme);
      assert.deepEqual(await violations(page, ".top", rules), []);
    }
    assert.deepEqual(await page.evaluate(() => window.shifts), []);
    await page.context().close();
  });
}

test("a lecture that was recorded once says so", async () => {
  const once = join(folder, "once");
  execFileSync(process.env.LECTERN_BIN, ["render", join(folder, "same/cpu/runs.json"), "-o", once]);
  const page = await openPage(pathToFileURL(join(once, "runs/index.html")).href);
  assert.equal(await page.locator(".runs").count(), 0);
  await press(page, "d");
  assert.match(await page.locator("#message p").textContent(), /on one device only/);
  await page.context().close();
});
