// Finding by typing: Ctrl K, what it offers, and where it leads.

import assert from "node:assert/strict";
import { onBoth, step } from "./loop_lecture.mjs";
import { colours, drawn, goTo, onOneLecture, onTwoLectures, press, setTheme, shownStep, violations } from "./support.mjs";

async function find(page, query, key = "Control+k") {
  await page.keyboard.press(key);
  await page.getByRole("dialog", { name: "Find" }).waitFor();
  await page.keyboard.type(query);
  return page.$$eval("#found > li", (items) => items.map((item) => [...item.children].map(({ textContent }) => textContent)));
}

/** Types a query, and takes the entry that has these words. */
async function take(page, query, words) {
  const found = await find(page, query);
  const at = found.findIndex(([label, detail, kind]) => words.test(`${kind}: ${label} (${detail})`));
  assert.ok(at >= 0, `${query} gives ${found.map(([label, detail, kind]) => `${kind}: ${label} (${detail})`).join(" | ")}`);
  for (let i = 0; i < at; ++i) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await drawn(page);
  await drawn(page);
}

onBoth("steps, passes, lines, functions, variables and commands are found and lead there", async (page) => {
  await take(page, "12", /^step: Go to step 12 /);
  assert.equal(await shownStep(page), 11);
  await goTo(page, step.parts(0));
  await take(page, "pass 3", /^step: Pass 3 of line 8/);
  assert.equal(await shownStep(page), step.parts(2));
  await take(page, "line 10", /^step: Line 10/);
  assert.equal(await shownStep(page), step.end);
  await take(page, "half", /^function: half \(line 1\)/);
  assert.equal(await shownStep(page), step.inside(0));
  await take(page, "parts[1]", /^line: parts\[1\] = i; \(line 8\)/);
  assert.equal(await page.locator(".row.now").first().getAttribute("data-line"), "8");
  await take(page, "passes", /^command: All passes of this line/);
  assert.ok(await page.getByRole("dialog", { name: "Passes of line 8" }).isVisible());
  await page.keyboard.press("Escape");
});

onBoth("a variable of another function: its history opens where it is", async (page) => {
  await goTo(page, step.end);
  await take(page, "y", /^variable: y \(half, 6 values\)/);
  assert.equal(await shownStep(page), step.inside(5));
  assert.equal(await page.locator("#vars .var .history").count(), 1);
  assert.match(await page.evaluate(() => document.activeElement.textContent), /0\.25/);
});

onBoth("the keyboard alone moves, and a screen reader is told", async (page) => {
  const found = await find(page, "a");
  assert.ok(found.length > 3);
  const field = page.getByRole("combobox", { name: "Find" });
  const active = () => page.evaluate(() => document.getElementById(document.activeElement.getAttribute("aria-activedescendant"))?.ariaSelected);
  assert.equal(await active(), "true");
  assert.equal(await page.locator('#found > [aria-selected="true"]').count(), 1);
  await page.keyboard.press("ArrowUp");
  assert.equal(await page.locator('#found > [aria-selected="true"]').evaluate((item) => item === item.parentElement.lastElementChild), true, "around the end");
  await page.keyboard.press("ArrowDown");
  assert.equal(await page.locator("#found > li").first().getAttribute("aria-selected"), "true");
  assert.match(await page.locator("dialog.find [role=status]").textContent(), /results/);
  await field.fill("nothing has these words");
  assert.match(await page.locator("dialog.find [role=status]").textContent(), /Nothing fits/);
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("dialog.find").isVisible(), false);
  const before = await shownStep(page);
  await press(page, "ArrowRight");
  assert.equal(await shownStep(page), before + 1, "the arrows step again");
});

onOneLecture("it opens with single keys off, and not with the keys of others", async (open) => {
  const page = await open({ storage: { "lectern.keys": "off" } });
  for (const key of ["k", "Control+Shift+k", "Alt+k"]) {
    await page.keyboard.press(key);
    assert.equal(await page.locator("dialog.find[open]").count(), 0, key);
  }
  await find(page, "", "Meta+k");
  assert.ok((await page.locator("#found > li").count()) > 10, "sections and commands before anything is typed");
});

onTwoLectures("each section is found by its title, and prose by its words", async (open, lecture) => {
  const page = await open();
  const links = await page.$$eval("nav.out a", (all) => all.map((link) => [link.textContent, link.hash]));
  const [title, hash] = links.at(-1);
  const found = await find(page, title.slice(0, 60));
  assert.ok(found.some(([label]) => label === title), `${title} in ${found.map(([label]) => label).join(" | ")}`);
  await page.keyboard.press("Enter");
  await drawn(page);
  if (found[0][2] === "section") assert.equal(await page.evaluate(() => decodeURIComponent(location.hash)), decodeURIComponent(hash));
  const words = /<p>([A-Za-z ,]{30,60})/.exec(lecture.html)?.[1].trim();
  if (words) assert.ok((await find(page, words)).some(([, , kind]) => kind === "text"), words);
});

onOneLecture("the dialog is clean in both themes", async (open) => {
  const page = await open();
  await find(page, "a");
  assert.deepEqual(await violations(page, "dialog.find"), []);
  await setTheme(page, "dark");
  assert.deepEqual(await violations(page, "dialog.find", colours), [], "dark");
});
