// Variables of frames, blocks and passes: what the panel and the badges show of them, in a lecture of its own.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { goTo, openPage, press, temporaryFolder } from "./support.mjs";

assert.ok(process.env.LECTERN_BIN, "LECTERN_BIN is not set: it names the program that renders");
const folder = temporaryFolder("locals");

const lines = [
  "int down(int n) {", //                1
  "  int twice = 2 * n;", //             2
  "  if (n > 1) down(n - 1);", //        3
  "  return twice;", //                  4
  "}",
  "int main() {", //                     6
  "  int x = 7;", //                     7
  "  for (int i = 0; i < 3; ++i) {", //  8
  "    if (i != 1) {", //                9
  "      int x = i;", //                10
  "      show(x);", //                  11
  "    }",
  "    int square = i * i;", //         13
  "  }",
  "  down(3);", //                      15
  "  end();", //                        16
  "}",
];
const sites = [
  { function: 0, span: [2, 3, 2, 21] },
  { function: 0, span: [3, 3, 3, 13], kind: "branch" },
  { function: 0, span: [3, 14, 3, 26] },
  { function: 0, span: [4, 3, 4, 16], kind: "return" },
  { function: 1, span: [7, 3, 7, 13] },
  { function: 1, span: [8, 3, 8, 30], kind: "loop", body: 4, locals: { i: 4 } },
  { function: 1, span: [9, 5, 9, 16], kind: "branch" },
  { function: 1, span: [10, 7, 10, 17], locals: { x: 1 } },
  { function: 1, span: [11, 7, 11, 15] },
  { function: 1, span: [13, 5, 13, 24], locals: { square: 0 } },
  { function: 1, span: [15, 3, 15, 11] },
  { function: 1, span: [16, 3, 16, 9] },
];
const named = (values) => Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { type: "int", value }]));

/** The run of that program as it would be recorded with `@inspect *` on both functions; what is expected of each step. */
const records = [];
const expected = [];
function step(site, stack, { vars, args, ...more }, panel, badges, frames) {
  records.push({ at: site, in: stack, ...more, ...(args && { args: named(args) }), ...(vars && { vars: named(vars) }) });
  expected.push({ panel, badges, frames });
}
const inMain = ["main"];
step(4, 0, { enter: 1, vars: { x: 7 } }, "x=7", { 7: "x=7" }, inMain);
for (const i of [0, 1, 2]) {
  const loop = { 7: "x=7", 8: `i=${i}` };
  step(5, 0, { vars: { i } }, `x=7 i=${i}`, loop, inMain);
  step(6, 0, {}, `x=7 i=${i}`, loop, inMain);
  const branch = i === 1 ? loop : { ...loop, 10: `x=${i}` };
  if (i !== 1) {
    step(7, 0, { vars: { x: i } }, `x=${i} i=${i}`, branch, inMain);
    step(8, 0, {}, `x=${i} i=${i}`, branch, inMain);
  }
  step(9, 0, { vars: { square: i * i } }, `x=7 i=${i} square=${i * i}`, { ...branch, 13: `square=${i * i}` }, inMain);
}
const afterLoop = { 7: "x=7", 8: "i=2", 10: "x=2", 13: "square=4" };
step(5, 0, {}, "x=7 i=2", afterLoop, inMain);
step(10, 0, {}, "x=7", afterLoop, inMain);
for (const n of [3, 2, 1]) {
  const frames = ["main"];
  for (let at = 3; at >= n; --at) frames.push(`down(n = ${at})`);
  const own = { ...afterLoop, 2: `twice=${2 * n}` };
  step(0, 4 - n, { enter: 1, args: { n }, vars: { twice: 2 * n } }, `n=${n} twice=${2 * n}`, own, frames);
  step(1, 4 - n, {}, `n=${n} twice=${2 * n}`, own, frames);
  if (n > 1) step(2, 4 - n, {}, `n=${n} twice=${2 * n}`, own, frames);
}
for (const n of [1, 2, 3]) {
  const frames = ["main"];
  for (let at = 3; at >= n; --at) frames.push(`down(n = ${at})`);
  const own = { ...afterLoop, 2: `twice=${2 * n}` };
  if (n > 1) step(2, 4 - n, { after: true }, `n=${n} twice=${2 * n}`, own, frames);
  step(3, 4 - n, {}, `n=${n} twice=${2 * n}`, own, frames);
}
const atEnd = { ...afterLoop, 2: "twice=6" };
step(10, 0, { after: true }, "x=7", atEnd, inMain);
step(11, 0, {}, "x=7", atEnd, inMain);

const trace = {
  format: "lectern-trace/1",
  lecture: "locals",
  records: [
    { source: 0, path: "locals.cpp", language: "cpp", lines },
    { function: 0, name: "down", source: 0, span: [1, 1, 5, 2] },
    { function: 1, name: "main", source: 0, span: [6, 1, 17, 2] },
    ...sites.map((site, number) => ({ site: number, ...site })),
    { stack: 0, function: 1 },
    { stack: 1, function: 0, parent: 0, call: 10 },
    { stack: 2, function: 0, parent: 1, call: 2 },
    { stack: 3, function: 0, parent: 2, call: 2 },
    ...records,
    { end: "return", status: 0 },
  ],
};

const url = pathToFileURL(join(folder, "site/locals/index.html")).href;
writeFileSync(join(folder, "locals.json"), JSON.stringify(trace));
const said = spawnSync(process.env.LECTERN_BIN, ["render", join(folder, "locals.json"), "-o", join(folder, "site")], { encoding: "utf8" });
assert.equal(said.status, 0, said.stderr);

let page; // one for all tests
test("the page opens", async () => {
  page = await openPage(url);
  assert.deepEqual(page.complaints, []);
});

const panel = () =>
  page.$$eval("#vars .var", (all) => all.map((each) => `${each.querySelector(".b").textContent}=${each.querySelector(".value").textContent}`).join(" "));
const frames = () => page.$$eval("#stack .name", (all) => all.map((each) => each.textContent));
/** The badges that are seen, by line. */
const badges = (on = page) =>
  on.$$eval(".chip", (all) =>
    Object.fromEntries(
      all
        .filter((chip) => chip.checkVisibility({ visibilityProperty: true }))
        .map((chip) => [chip.closest("[data-line]").dataset.line, `${chip.dataset.name}=${chip.querySelector("i").textContent}`]),
    ),
  );

async function check(step, how) {
  const { panel: variables, badges: beside, frames: stack } = expected[step];
  assert.equal(await panel(), variables, `the panel at step ${step}, ${how}`);
  assert.deepEqual(await badges(), beside, `the badges at step ${step}, ${how}`);
  assert.deepEqual(await frames(), stack, `the call stack at step ${step}, ${how}`);
}

test("stepping forward, back and by address show the same variables, badges and arguments", async () => {
  await goTo(page, 0);
  for (let step = 0; step < expected.length; ++step) {
    await check(step, "forward");
    if (step + 1 < expected.length) await press(page, "ArrowRight");
  }
  for (let step = expected.length - 2; step >= 0; --step) {
    await press(page, "ArrowLeft");
    await check(step, "back");
  }
  for (const step of [expected.length - 1, 3, 20, 1, 9, 24, 0]) {
    await goTo(page, step);
    await check(step, "by address");
  }
});

test("a frame that the reader picks shows its own variables and badges", async () => {
  const deepest = expected.findIndex(({ frames: stack }) => stack.length === 4);
  await goTo(page, deepest);
  const pick = async (depth) => {
    await page.click(`#stack button[data-depth="${depth}"]`);
    return [await panel(), (await badges())[2]];
  };
  assert.deepEqual(await pick(1), ["n=3 twice=6", "twice=6"]);
  assert.deepEqual(await pick(2), ["n=2 twice=4", "twice=4"]);
  assert.deepEqual(await pick(0), ["x=7", "twice=2"], "the caller has none of that function's own");
  await goTo(page, deepest + 1);
  await check(deepest + 1, "after picking frames");
});

test("without script, and on paper, badges are those of the end of the run", async () => {
  const still = await openPage(url, { script: false });
  assert.deepEqual(await badges(still), expected.at(-1).badges);
  await still.context().close();
  await goTo(page, 4);
  await page.emulateMedia({ media: "print" });
  const printed = await badges();
  assert.equal(printed[2], "twice=6", "what the run has not come to yet is as at its end");
  assert.equal(printed[8], expected[4].badges[8]);
  await page.emulateMedia({ media: "screen" });
});
