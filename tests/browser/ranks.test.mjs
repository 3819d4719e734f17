// A lecture of two processes: the page of its rank 0, with the state of the other one beside its own.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { colours, goTo, openPage, press, setTheme, temporaryFolder, violations } from "./support.mjs";

const lines = ["int main() {", `  init_process_group(${"/* at */ ".repeat(100)});`, "  int part = 4 * rank;", "  if (rank == 0)", "    prepare();", "  all_reduce(sum);", "  Tensor w = zeros({2});", "}"];
const hidden = "only rank 1 shows this";

/** A tensor, which lies in a storage of another number on each rank. */
const tensor = (rank, data) => ({ type: "Tensor", dtype: "float32", shape: [2], strides: [1], device: "cpu", storage: 1 + rank, storage_bytes: 8, data });
const int = (value) => ({ type: "int", value });

/** Rank 0 alone prepares; rank 1 shows a text of its own. */
function trace(rank) {
  const sites = [2, 3, 4, 5, 6, 7].map((line, site) => ({ site, function: 0, span: [line, 1, line, lines[line - 1].length + 1] }));
  const met = (name, sequence, bytes) => ({ collectives: [{ name, sequence, ...(bytes ? { sent: bytes, received: bytes } : {}) }] });
  const steps = [
    { at: 0, in: 0, enter: 1, ...met("init_process_group", 1) },
    { at: 1, in: 0, vars: { part: int(4 * rank), size: int(2) } },
    { at: 2, in: 0, ...(rank === 1 ? { show: [{ kind: "text", markdown: hidden }] } : {}) },
    ...(rank === 0 ? [{ at: 3, in: 0 }, { at: 3, in: 0 }] : []),
    { at: 4, in: 0, vars: { sum: int(4) }, ...met("all_reduce", 2, 24) },
    { at: 5, in: 0, vars: { w: tensor(rank, [0.5, 1.5]), v: tensor(rank, [rank, 0]) } },
  ];
  const records = [{ source: 0, path: "two.cpp", language: "cpp", lines }, { function: 0, name: "main", source: 0, span: [1, 1, 8, 2] }, ...sites, { stack: 0, function: 0 }, ...steps, { end: "return", steps: steps.length }];
  return JSON.stringify({ format: "lectern-trace/1", lecture: "two", profile: { name: "cpu", rank, world_size: 2 }, records });
}

const folder = temporaryFolder("ranks");
mkdirSync(join(folder, "traces"));
writeFileSync(join(folder, "traces/two.json"), trace(0));
writeFileSync(join(folder, "traces/two.rank1.json"), trace(1));
const traces = ["two.json", "two.rank1.json"].map((name) => join(folder, "traces", name));
execFileSync(process.env.LECTERN_BIN, ["render", ...traces, "-o", join(folder, "site")]);
const address = pathToFileURL(join(folder, "site/two/index.html")).href;

const card = (page) => page.locator(".rank");
const text = async (page, part) => (await card(page).locator(part).textContent()).trim();
async function open(options) {
  const page = await openPage(address, options);
  await page.locator("#ranks .rank").waitFor({ state: "attached" });
  return page;
}

test("the other rank is where both met last, and goes on by the same statements", async () => {
  const page = await open();
  await goTo(page, 0);
  assert.equal(await text(page, ".rank-call"), "⇄ init_process_group");
  assert.equal(await page.locator("#ranks > .rank-call").textContent(), "Rank 0 ⇄ init_process_group");
  await press(page, "ArrowRight");
  assert.equal(await text(page, ".rank-where"), "main:3");
  assert.equal(await text(page, "pre"), "int part = 4 * rank;");
  assert.deepEqual(await card(page).locator(".rank-var").allTextContents(), ["part4", "sizeas on rank 0"]);
  assert.deepEqual(await card(page).locator(".differs-by-rank dt").allTextContents(), ["part"]);
  await press(page, "ArrowRight", 2);
  assert.equal(await text(page, ".rank-where"), "main:4");
  assert.equal(await text(page, ".rank-waits"), "Stays here: this rank does not run rank 0’s line");
  await press(page, "ArrowRight", 2);
  assert.equal(await text(page, ".rank-where"), "main:6");
  assert.equal(await text(page, ".rank-call"), "⇄ all_reduce · 24 B sent, 24 B received");
  assert.equal(await card(page).locator(".rank-waits").isHidden(), true);
  await press(page, "ArrowLeft");
  assert.equal(await text(page, ".rank-where"), "main:4");
  assert.deepEqual(page.complaints, []);
  await page.context().close();
});

test("tensors are the same wherever they lie", async () => {
  const page = await open({ hash: "#step=7" });
  await goTo(page, 6);
  assert.deepEqual(await card(page).locator(".differs-by-rank dt").allTextContents(), ["part", "v"]);
  assert.equal(await card(page).locator(".storage, .layout").count(), 0);
  assert.equal(await card(page).locator("table.grid td").allTextContents().then((cells) => cells.join()), "1,0");
  await page.context().close();
});

test("without a script the end of the page says where they differ", async () => {
  const page = await openPage(address, { script: false });
  await page.click("details.ranks > summary");
  const rows = await page.locator(".rank-table tbody tr").allTextContents();
  assert.equal(rows.length, 2);
  assert.match(rows[0], /^3part04/);
  assert.equal((await page.content()).includes(hidden), false);
  await page.context().close();
});

test("a statement of many lines takes little of a phone", async () => {
  const page = await open({ width: 390, height: 844 });
  await goTo(page, 0);
  assert.match(await text(page, "pre"), /^init_process_group\(.*…$/);
  assert.ok((await card(page).locator("pre").boundingBox()).height < 120);
  await page.context().close();
});

for (const [width, height] of [[1280, 800], [390, 844], [1600, 900]]) {
  test(`it is accessible and fits, ${width} pixels wide`, async () => {
    const page = await open({ width, height });
    await goTo(page, 6);
    await page.evaluate(() => document.querySelectorAll("details").forEach((each) => (each.open = true)));
    assert.deepEqual(page.complaints, []);
    assert.deepEqual(await page.evaluate(() => window.violations), []);
    assert.deepEqual(await violations(page), []);
    await setTheme(page, "dark");
    assert.deepEqual(await violations(page, "html", colours), []);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
    const [own, other] = await Promise.all(["#vars", "#ranks"].map((part) => page.locator(part).boundingBox()));
    if (width === 1600) assert.ok(other.x >= own.x + own.width, "side by side");
    else assert.ok(other.y >= own.y + own.height, "one below the other");
    await page.context().close();
  });
}

test("a single file has them, too", async () => {
  execFileSync(process.env.LECTERN_BIN, ["render", "--single-file", traces[0], "-o", join(folder, "two.html")]);
  const page = await openPage(pathToFileURL(join(folder, "two.html")).href);
  await page.locator("#ranks .rank").waitFor({ state: "attached" });
  await goTo(page, 1);
  assert.equal(await text(page, ".rank-where"), "main:3");
  assert.deepEqual(page.complaints, []);
  await page.context().close();
});

test("a lecture of one process has none, and a trace that is missing is said", async () => {
  const alone = JSON.parse(readFileSync(traces[0], "utf8"));
  delete alone.profile.world_size;
  writeFileSync(join(folder, "alone.json"), JSON.stringify({ ...alone, lecture: "alone" }));
  execFileSync(process.env.LECTERN_BIN, ["render", join(folder, "alone.json"), "-o", join(folder, "site")]);
  const page = await openPage(pathToFileURL(join(folder, "site/alone/index.html")).href);
  assert.equal(await page.locator("#ranks, details.ranks").count(), 0);
  await page.context().close();
  const render = () => spawnSync(process.env.LECTERN_BIN, ["render", traces[0], "-o", join(folder, "site")], { encoding: "utf8" });
  writeFileSync(traces[1], trace(0));
  assert.match(render().stderr, /two\.rank1\.json: is not the trace of rank 1 of the same run as two\.json; run the lecture again/);
  rmSync(traces[1]);
  const { status, stderr } = render();
  assert.equal(status, 1);
  assert.match(stderr, /two\.rank1\.json: the trace of rank 1 of 2 is not there; run the lecture again/);
});
