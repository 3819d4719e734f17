// Figures shown large.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { openMedia } from "./media_lecture.mjs";
import { axeSource, drawn, press, setTheme, shownStep } from "./support.mjs";

const box = (page) => page.locator("dialog.lightbox");
const place = (page) => page.locator("#figure-place").textContent();
const caption = (page) => page.locator(".lightbox figcaption").innerText();
const focused = (page) => page.evaluate(() => document.activeElement.querySelector("img")?.alt ?? document.activeElement.className);

async function open(page, alt) {
  await page.waitForSelector(".block-tool.enlarges", { state: "attached" });
  await page.locator(`a.enlarge:has(img[alt="${alt}"])`).focus();
  await press(page, "Enter");
  assert.equal(await box(page).isVisible(), true);
}

test("without a script a figure is a link to its file", async () => {
  const page = await openMedia({ script: false });
  const links = await page.locator("a.enlarge").evaluateAll((all) => all.map(({ href }) => href));
  assert.equal(links.length, 3);
  for (const link of links) assert.ok(existsSync(fileURLToPath(link)), link);
  await page.context().close();
});

test("figures open large by keyboard, and the arrows go from one to the next", async () => {
  const page = await openMedia();
  const step = await shownStep(page);
  await open(page, "The first");
  assert.equal(await place(page), "Figure 2 of 5");
  assert.match(await caption(page), /^Figure one\s+The first$/);
  assert.equal(await page.locator(".lightbox .stage img").getAttribute("alt"), "The first");
  const fits = await page.locator(".lightbox .stage img").evaluate((image) => image.getBoundingClientRect().width);
  assert.ok(fits > 600, `${fits} wide`);
  for (const [key, figure] of [["ArrowRight", 3], ["ArrowRight", 4], ["ArrowRight", 5], ["ArrowRight", 1], ["ArrowLeft", 5]]) {
    await press(page, key);
    assert.equal(await place(page), `Figure ${figure} of 5`);
    const size = await page.locator(".lightbox .stage > *").boundingBox();
    assert.ok(size.width > 300 && size.height > 100, `figure ${figure}: ${JSON.stringify(size)}`);
  }
  assert.equal(await page.locator(".lightbox svg[role=img]").getAttribute("aria-label"), "Two bars");
  assert.deepEqual(await page.evaluate(() => {
    const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id);
    return ids.filter((id, i) => ids.indexOf(id) !== i);
  }), [], "no id twice");
  await press(page, "ArrowRight");
  await press(page, "ArrowRight");
  await press(page, "l"); // a key of the page
  await press(page, "Escape");
  assert.equal(await box(page).isVisible(), false);
  await page.waitForFunction(() => document.activeElement.querySelector("img")?.alt === "The first");
  assert.equal(await shownStep(page), step, "the page has not stepped");
  await page.evaluate(() => document.activeElement.blur());
  await press(page, "l");
  assert.equal(await shownStep(page), step + 1, "now it does");
  assert.deepEqual(page.complaints, []);
  await page.context().close();
});

test("an image is shown in its own size, where arrows go over it", async () => {
  const page = await openMedia({ width: 390, height: 700 });
  await open(page, "The second");
  await press(page, "z");
  assert.equal(await page.locator(".lightbox .stage img").evaluate((image) => image.getBoundingClientRect().width), 120);
  assert.equal(await page.getByRole("button", { name: "Actual size" }).getAttribute("aria-pressed"), "true");
  const before = await place(page);
  await press(page, "ArrowRight");
  assert.equal(await place(page), before);
  await page.locator(".lightbox .stage img").click();
  assert.equal(await page.getByRole("button", { name: "Actual size" }).getAttribute("aria-pressed"), "false");
  await page.getByRole("button", { name: "The next figure" }).click();
  assert.notEqual(await place(page), before);
  await page.getByRole("button", { name: "Close" }).click();
  assert.equal(await box(page).isVisible(), false);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0);
  await page.context().close();
});

test("a graph and a plot have a button, reached by keyboard, that shows them large", async () => {
  const page = await openMedia();
  await page.waitForSelector(".block-tool.enlarges", { state: "attached" });
  const button = page.getByRole("button", { name: "Enlarge: A graph" });
  await button.focus();
  assert.equal(await button.evaluate((each) => getComputedStyle(each).opacity), "1");
  await press(page, "Enter");
  assert.deepEqual(await page.locator(".lightbox .box").allTextContents(), ["x", "y"]);
  await press(page, "Escape");
  await page.waitForFunction(() => document.activeElement.matches(".block-tool.enlarges"));
  await page.context().close();
});

test("axe finds nothing to object to in the lightbox", async () => {
  const page = await openMedia();
  await open(page, "The first");
  await page.evaluate(axeSource);
  for (const theme of ["light", "dark"]) {
    await setTheme(page, theme);
    const found = await page.evaluate(() => axe.run("dialog.lightbox", { resultTypes: ["violations"] }));
    assert.deepEqual(found.violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`), [], theme);
  }
  await drawn(page);
  assert.notEqual(await focused(page), "");
  await page.context().close();
});
