// The pages of `lectern diff --format html`: the list of differences, and a lecture before and now, stepped together.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { colours, openPage, setTheme, temporaryFolder, violations } from "./support.mjs";

const sources = join(dirname(fileURLToPath(import.meta.url)), "../..");
const lecture = "lecture_01_tokenization";
const accepted = join(sources, `traces/cpu/${lecture}.json`);
const work = temporaryFolder("report");
const pages = join(work, "report");
let report;

before(() => {
  const trace = JSON.parse(readFileSync(accepted, "utf8"));
  const steps = trace.records.filter((record) => "at" in record);
  const plain = (record) => !record.after && !record.enter;
  // A text and a number change, and one statement is not run.
  const text = steps.filter((step) => step.show?.[0].kind === "text").at(3);
  text.show[0].markdown = '<img src=x onerror="window.intruder = true"> changed';
  const value = steps.filter((step) => Object.values(step.vars ?? {}).some(({ type }) => type === "double")).at(0);
  Object.values(value.vars)[0].value += 1e24;
  trace.records.splice(trace.records.indexOf(steps.slice(0, 200).findLast(plain)), 1);
  const changed = join(work, `${lecture}.json`);
  writeFileSync(changed, JSON.stringify(trace));
  cpSync(accepted.replace(".json", ".assets"), changed.replace(".json", ".assets"), { recursive: true });
  const made = spawnSync(process.env.LECTERN_BIN, ["diff", accepted, changed, "--format", "html", "-o", pages], { encoding: "utf8" });
  assert.equal(made.status, 1, made.stderr);
  report = JSON.parse(spawnSync(process.env.LECTERN_BIN, ["diff", accepted, changed, "--format", "json"], { encoding: "utf8" }).stdout);
});

const urlOf = (path) => pathToFileURL(join(pages, path)).href;
const items = () => report.lectures[0].items;

async function stepOf(page, side) {
  const words = await page.frame({ name: side }).locator("#where b").textContent();
  return Number(/step ([\d,]+) of/.exec(words)[1].replaceAll(",", ""));
}
async function waitForSteps(page, old, now) {
  const deadline = Date.now() + 10_000;
  while (Date.now() < deadline && ((await stepOf(page, "old")) !== old || (await stepOf(page, "new")) !== now)) await page.waitForTimeout(50);
  assert.deepEqual([await stepOf(page, "old"), await stepOf(page, "new")], [old, now]);
}
async function loaded(page) {
  for (const side of ["old", "new"]) await page.frameLocator(`iframe[name="${side}"]`).locator(":root.ready").waitFor({ state: "attached" });
}

test("the list has every item, and each leads to its steps", async () => {
  const page = await openPage(urlOf("index.html"));
  assert.equal(await page.locator(".items li").count(), items().length);
  assert.ok(items().length >= 3);
  for (const [number, item] of items().entries()) {
    await page.goto(urlOf("index.html"));
    await page.locator(".items li a").nth(number).click();
    await loaded(page);
    assert.equal(await page.locator("[aria-current]").getAttribute("id"), `i${item.id}`);
    if (item.old.step && item.new.step) await waitForSteps(page, item.old.step, item.new.step);
  }
  assert.deepEqual(page.complaints, []);
  await page.context().close();
});

test("both sides are stepped together, whichever is stepped", async () => {
  const page = await openPage(urlOf(`compare/${lecture}.html`));
  await loaded(page);
  const step = async (side, times) => {
    for (let i = 0; i < times; ++i) await page.frame({ name: side }).locator('[data-action="step"]').click();
  };
  await step("new", 3);
  await waitForSteps(page, 4, 4);
  await step("old", 2);
  await waitForSteps(page, 6, 6);
  await page.frame({ name: "new" }).locator("#progress").press("End");
  const { old, new: now } = report.lectures[0].steps;
  await waitForSteps(page, old, now);
  await page.context().close();
});

test("plots are drawn on both sides", async () => {
  const page = await openPage(urlOf(`compare/${lecture}.html`));
  await loaded(page);
  for (const side of ["old", "new"]) {
    const plot = page.frameLocator(`iframe[name="${side}"]`).locator(".chart").first();
    await plot.evaluate((element) => element.scrollIntoView());
    await plot.locator("svg:visible").first().waitFor();
  }
  assert.deepEqual(page.complaints, []);
  await page.context().close();
});

test("what a trace says does nothing here", async () => {
  for (const path of ["index.html", `compare/${lecture}.html`]) {
    const page = await openPage(urlOf(path));
    await page.waitForTimeout(300);
    assert.equal(await page.evaluate(() => window.intruder), undefined);
    assert.deepEqual(await page.evaluate(() => window.violations), []);
    assert.equal(await page.locator("img[onerror]").count(), 0);
    assert.deepEqual(page.complaints, []);
    await page.context().close();
  }
});

test("axe finds nothing to object to, and nothing scrolls sideways", async () => {
  const check = async (page, what, rules = {}) => {
    assert.deepEqual(await violations(page, "html", { iframes: false, ...rules }), [], what);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), page.viewportSize().width, what);
  };
  for (const path of ["index.html", `compare/${lecture}.html`]) {
    const page = await openPage(urlOf(path));
    await check(page, path);
    await setTheme(page, "dark");
    await check(page, `${path}, dark`, colours);
    await setTheme(page, "light");
    await page.setViewportSize({ width: 390, height: 780 });
    await check(page, `${path}, on a phone`);
    await page.context().close();
  }
});
