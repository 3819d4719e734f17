// A lecture whose values are more than a page loads at once: they come in files of their own, when a step shows them.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { drawn, goTo, message, openPage, press, startServer, temporaryFolder } from "./support.mjs";

const count = 1200;
const side = 8;
const evil = "</script><script>window.intruder = 1</script><img src=x onerror=\"window.intruder = 1\">";

/** Half of them change from step to step. */
const element = (step, i) => (i % 2 === 0 ? i : ((step * 37 + i * 11) % 1000) - 500);
const tensor = (step) => ({
  type: "lectern::Tensor", dtype: "float32", shape: [side, side], strides: [side, 1], device: "cpu", storage: 1, storage_bytes: 4 * side * side,
  data: Array.from({ length: side * side }, (_, i) => element(step, i)),
});

/** Every step inspects another tensor and another string that means harm. */
function trace() {
  const records = [
    { source: 0, path: "many.cpp", language: "cpp", lines: ["int main() {", "  x = next();", "}"] },
    { function: 0, name: "main", source: 0, span: [1, 1, 3, 2] },
    { site: 0, function: 0, span: [2, 3, 2, 14] },
    { stack: 0, function: 0 },
  ];
  for (let step = 0; step < count; ++step) {
    records.push({
      at: 0, in: 0, ...(step === 0 ? { enter: 1 } : {}),
      vars: { x: tensor(step), n: { type: "int", value: step }, s: { type: "std::string", value: `${evil}${step}` } },
      out: `${evil} ${step}`,
    });
  }
  records.push({ end: "return", steps: count });
  return JSON.stringify({ format: "lectern-trace/1", lecture: "many", profile: { name: "cpu" }, records });
}

const folder = temporaryFolder("many");
const site = join(folder, "site");
writeFileSync(join(folder, "many.json"), trace());
execFileSync(process.env.LECTERN_BIN, ["render", join(folder, "many.json"), "-o", site]);
const files = readdirSync(join(site, "many/fragments"));
const addresses = { file: async () => pathToFileURL(join(site, "many/index.html")).href, served: async () => new URL("many/index.html", await startServer(folder)).href };

/** The elements that the state shows of x. */
function cellsOf(page) {
  return page.evaluate(() => {
    const section = [...document.querySelectorAll("#vars > .var")].find((each) => each.querySelector(".b").textContent === "x");
    return [...section.querySelectorAll(".grid td")].map((each) => Number(each.textContent.replace("\u2212", "-")));
  });
}
const wanted = (step) => Array.from({ length: side * side }, (_, i) => element(step, i));
const loaded = (page) => page.requests.filter((url) => url.includes("/fragments/")).length;

test("many are compressed", () => {
  for (const name of files) assert.match(readFileSync(join(site, "many/fragments", name), "utf8"), /^lecternFragments\(\{"first":\d+,"packed":"[\w+/]+=*"\}\);\n$/);
});

for (const [origin, address] of Object.entries(addresses)) {
  test(`values come when a step shows them (${origin})`, async () => {
    assert.ok(files.length >= 6, `${files.length} files`);
    const page = await openPage(await address());
    assert.equal(loaded(page), 0, "the first ones are there");
    for (const step of [3, count - 1, 0, count >> 1, (count >> 1) + 1]) {
      await goTo(page, step);
      assert.deepEqual(await cellsOf(page), wanted(step), `step ${step}`);
      assert.ok((await page.locator("#output").textContent()).includes(`${evil} ${step}`), "what it printed");
      assert.ok(loaded(page) < files.length, "not all are loaded");
    }
    assert.match(await page.locator("#vars .new").first().textContent(), /changed/);
    assert.ok((await page.locator("#vars .differs").count()) > 0, "and compared with the values before");
    for (let step = 0; step < count; step += 40) {
      await goTo(page, step);
      assert.deepEqual(await cellsOf(page), wanted(step), `step ${step}`);
    }
    assert.equal(await page.evaluate(() => window.intruder), undefined, "a script ran");
    assert.equal(await page.locator("script:not([src]), #vars img, #output img").count(), 0);
    assert.deepEqual(await page.evaluate(() => window.violations), []);
    assert.deepEqual(page.complaints, []);
    await page.context().close();
  });
}

test("histories, breakpoints, guesses and comparisons know the values of steps that were never shown", async () => {
  const page = await openPage(await addresses.file());
  await press(page, "ArrowRight");
  const button = (name) => page.locator("#vars button.b", { hasText: new RegExp(`^${name}$`) });
  await button("n").click();
  await drawn(page);
  assert.match(await page.locator("#vars .told").textContent(), /1,200 values/);
  await page.locator("#vars .stop").click();
  await press(page, "c");
  assert.match(await message(page), /n has another value/);
  await press(page, "m");
  await goTo(page, count - 2);
  assert.match(await page.locator("#vars").textContent(), /was 2/, "compared with the marked step");
  await press(page, "q");
  await press(page, "ArrowRight");
  assert.ok((await page.locator("#vars .guess").count()) >= 2, "values to guess");
  assert.deepEqual(page.complaints, []);
  await page.context().close();
});

test("while values are on their way the state shows them in short, and says so", async () => {
  let release;
  const held = new Promise((done) => (release = done));
  const prepare = (page) => page.route("**/fragments/*", async (route) => {
    await held;
    await route.continue();
  });
  const page = await openPage(await addresses.file(), { prepare });
  await page.evaluate((step) => (location.hash = `#step=${step}`), count);
  await page.waitForSelector('.env[aria-busy="true"]');
  assert.match(await page.locator("#where b").textContent(), /step 1,200 of/, "the step is shown");
  assert.match(await page.locator("#vars").textContent(), /float32 \[8, 8\]/);
  assert.match(await page.evaluate(() => getComputedStyle(document.querySelector("#vars"), "::after").content), /Loading values/);
  release();
  await drawn(page);
  assert.deepEqual(await cellsOf(page), wanted(count - 1));
  await page.context().close();
});

test("without one of the files the page says so, and stepping goes on", async () => {
  const broken = temporaryFolder("broken");
  cpSync(site, broken, { recursive: true });
  const last = files.find((name) => name.startsWith(`${files.length - 1}-`));
  rmSync(join(broken, "many/fragments", last));
  const page = await openPage(pathToFileURL(join(broken, "many/index.html")).href);
  await goTo(page, count - 1);
  assert.ok((await message(page)).includes(`fragments/${last}, beside this page, could not be loaded`), await message(page));
  assert.match(await page.locator("#vars").textContent(), /float32 \[8, 8\]/, "in short");
  await goTo(page, count >> 1);
  assert.deepEqual(await cellsOf(page), wanted(count >> 1));
  await page.context().close();
});

test("without what unpacks them the page says so, and stepping goes on", async () => {
  const broken = temporaryFolder("packed");
  cpSync(site, broken, { recursive: true });
  rmSync(join(broken, "assets/unpack.js"));
  const page = await openPage(pathToFileURL(join(broken, "many/index.html")).href);
  await goTo(page, count - 1);
  assert.ok((await message(page)).includes("unpack.js, among the site’s assets, could not be loaded"), await message(page));
  assert.match(await page.locator("#vars").textContent(), /float32 \[8, 8\]/, "in short");
  await goTo(page, 0);
  assert.deepEqual(await cellsOf(page), wanted(0), "the first ones are there");
  await page.context().close();
});
