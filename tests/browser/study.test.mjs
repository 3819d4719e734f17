// Of passes, histories, breakpoints and guesses together: for everyone, in long runs, within the budget of the page's script.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { folder, narrow, passes, step, url, wide } from "./loop_lecture.mjs";
import { changes, colours, goTo, openPage, press, setTheme, site, violations } from "./support.mjs";

// --- the timeline ------------------------------------------------------------------------------------------------------

test("the depth of calls stands over the slider, step by step", async () => {
  for (const size of [wide, narrow]) {
    const page = await openPage(url, size);
    const { outline, calls, track } = await page.evaluate(() => ({
      outline: document.querySelector(".calls path").getAttribute("d"),
      calls: document.querySelector(".calls").getBoundingClientRect().toJSON(),
      track: document.querySelector("#progress").getBoundingClientRect().toJSON(),
    }));
    const tops = [...outline.matchAll(/V([\d.]+)H/g)].map(([, top]) => Number(top));
    assert.equal(tops.length, 6 * passes + 1);
    assert.deepEqual(tops.slice(0, 6), [1, 1, 0, 0, 1, 1], "steps inside the call are deeper");
    assert.ok(calls.left >= track.left && calls.right <= track.right && calls.width > track.width - 40, JSON.stringify([calls, track]));
    await page.context().close();
  }
});

// --- for everyone ------------------------------------------------------------------------------------------------------

test("axe finds nothing to object to in any of it", async () => {
  for (const size of [wide, narrow]) {
    const page = await openPage(url, size);
    const check = async (what, part = "html") => {
      const themes = [["light", {}], ["dark", colours]].slice(0, size === wide ? 2 : 1); // colours have no width
      for (const [theme, rules] of themes) {
        await setTheme(page, theme);
        assert.deepEqual(await violations(page, part, rules), [], `${what}, ${theme}, ${size.width}`);
      }
    };
    await goTo(page, step.after(3));
    for (const key of ["m", "l", "b", "v", "w"]) await press(page, key);
    await check("a history, breakpoints");
    await press(page, "p");
    await check("passes", "dialog.sheet");
    await page.keyboard.press("Escape");
    await goTo(page, step.parts(4));
    await press(page, "q");
    await check("guesses");
    await press(page, "q");
    for (let i = 0; i < 6; ++i) await press(page, "-");
    await press(page, "s");
    await check("playing");
    await page.context().close();
  }
});

test("every key of the page is in the list of keys, and the list fits", async () => {
  const page = await openPage(url, narrow);
  await press(page, "?");
  const words = await page.locator("dialog.help").textContent();
  for (const key of ["<", ">", "p", "v", "b", "w", "c", "C", "s", "-", "+", "q", "i", "m", "M"]) {
    assert.ok((await page.locator("dialog.help kbd").allTextContents()).includes(key), key);
  }
  for (const pattern of [/first time that this line ran/, /history of a variable/, /breakpoint at this line/i, /Step by itself/, /Guess what a line gives/]) assert.match(words, pattern);
  await page.context().close();
});

// --- long runs ---------------------------------------------------------------------------------------------------------

/** One loop of many passes, each of which gives a number. */
function longTrace(count) {
  const records = [
    { source: 0, path: "long.cpp", language: "cpp", lines: ["int main() {", "  for (;;)", "    sum += i;", "}"] },
    { function: 0, name: "main", source: 0, span: [1, 1, 4, 2] },
    { site: 0, function: 0, span: [3, 5, 3, 14] },
    { stack: 0, function: 0 },
  ];
  for (let i = 0; i < count; ++i) records.push({ at: 0, in: 0, ...(i === 0 ? { enter: 1 } : {}), vars: { sum: Math.round(1e6 * Math.sin(i)) } });
  records.push({ end: "return", steps: count });
  return JSON.stringify({ format: "lectern-trace/1", lecture: "long", profile: { name: "cpu" }, records });
}

test("a line of 100,000 passes: its list and history are short, and a step changes no more than without them", async (context) => {
  const count = 100_000;
  writeFileSync(join(folder, "long.json"), longTrace(count));
  execFileSync(process.env.LECTERN_BIN, ["render", join(folder, "long.json"), "-o", join(folder, "site")]);
  const page = await openPage(pathToFileURL(join(folder, "site/long/index.html")).href, { ...wide, hash: "#step=50000" });
  const elements = () => page.evaluate(() => document.querySelectorAll("*").length);
  const before = await elements();
  const step = await changes(page, () => press(page, "ArrowRight"));
  await press(page, "ArrowLeft");
  await press(page, "p");
  assert.equal(await page.locator("dialog.sheet li").count(), 100);
  assert.equal(await page.locator("dialog.sheet [aria-current]").textContent(), `pass 50,000 sum ${Math.round(1e6 * Math.sin(49_999))}`.replace("-", "−"));
  await page.locator("dialog.sheet .more").first().click();
  assert.match(await page.evaluate(() => document.activeElement.textContent), /^pass 49,9\d\d /, "the entry before comes in, with the focus");
  await press(page, "End");
  assert.match(await page.evaluate(() => document.activeElement.textContent), /^pass 100,000 /);
  await page.keyboard.press("Escape");
  await press(page, "v");
  assert.ok((await page.locator(".curve .line").getAttribute("d")).length < 10_000, "a curve of few points");
  assert.ok((await page.locator(".history li").count()) <= 100);
  await page.evaluate(() => document.activeElement.blur());
  const withHistory = await changes(page, () => press(page, "ArrowRight"));
  const opened = (await elements()) - before;
  context.diagnostic(`a step changes ${step} nodes, ${withHistory} with the history open, which has ${opened} elements`);
  assert.ok(opened < 2000, `${opened} more elements`);
  assert.ok(withHistory < step + 500, `a step changes ${withHistory} nodes`);
  await page.context().close();
});

test("the page's script stays small", (context) => {
  const bytes = gzipSync(readFileSync(join(site, "assets/viewer.js"))).length;
  context.diagnostic(`${bytes} bytes`);
  assert.ok(bytes <= 60_000, `${bytes} bytes`);
});
