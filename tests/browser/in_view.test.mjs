// What the reader looks at stays in view: the line of the step, whatever shape the page takes, and cards, above the bar.

import assert from "node:assert/strict";
import { drawn, goTo, longestFirst, onEachLecture, onOneLecture, press } from "./support.mjs";

/** The first visible row that is marked as the current one: its line, and whether it is between the bars. */
function current(page) {
  return page.evaluate(() => {
    const row = [...document.querySelectorAll(".now:is(.row, .title)")].find((each) => each.getClientRects().length > 0);
    if (!row) return undefined;
    const { top, bottom } = row.getBoundingClientRect();
    const [head, env, bar] = [".top", ".env", ".bar"].map((part) => document.querySelector(part).getBoundingClientRect());
    const edge = innerWidth <= 860 && env.height > 0 ? env.top : bar.top;
    return { line: Number(row.dataset.line), seen: bottom > head.bottom && top < edge, top };
  });
}

onOneLecture("the line of the step stays in view when a view is switched and when the window changes its size", async (open, lecture) => {
  const page = await open();
  await goTo(page, Math.floor(lecture.data.at.length / 3));
  const { line } = await current(page);
  const check = async (what) => {
    await page.waitForTimeout(150); // columns of costs come late, and the page is laid out twice
    await drawn(page);
    const now = await current(page);
    assert.equal(now.line, line, what);
    assert.ok(now.seen, `${what}: at ${now.top}`);
  };
  for (const key of ["r", "f", "e", "n", "r", "e", "f", "n"]) {
    await press(page, key);
    await check(key);
  }
  for (const [width, height] of [[700, 900], [390, 780], [780, 390], [1280, 500], [1280, 860]]) {
    await page.setViewportSize({ width, height });
    await check(`${width} × ${height}`);
  }
}, { among: longestFirst });

onOneLecture("a reader who has scrolled away from the step stays where they read", async (open, lecture) => {
  const page = await open();
  await goTo(page, lecture.data.at.length - 1);
  await page.evaluate(() => scrollBy({ top: -3000, behavior: "instant" }));
  await drawn(page);
  for (const change of [() => press(page, "e"), () => page.setViewportSize({ width: 700, height: 860 })]) {
    await change();
    await page.waitForTimeout(150);
    assert.equal((await current(page)).seen, false);
  }
}, { among: longestFirst });

onEachLecture("a step that shows nothing but a speaker’s note marks the line before it until notes are shown", async (open, lecture, skip) => {
  const page = await open();
  const quiet = await page.$$eval(".row.quiet", (rows) => rows.map((row) => Number(row.dataset.site)));
  const { at, sites } = lecture.data;
  const step = at.findIndex((site) => quiet.includes(site));
  if (step < 0) return skip("no such step");
  await goTo(page, step);
  const [, line] = sites[at[step]];
  const before = await current(page);
  assert.ok(before?.seen && before.line < line, `${JSON.stringify(before)} stands for line ${line}`);
  await press(page, "n");
  assert.deepEqual(await page.$$eval(".row.now.quiet", (rows) => rows.map((row) => Number(row.dataset.line))), [line]);
  assert.equal(await page.locator(".row.now:visible").count(), 1, "the note alone");
  await press(page, "n");
  assert.equal((await current(page)).line, before.line);
  await press(page, "ArrowLeft");
  await press(page, "ArrowRight");
  assert.equal((await current(page)).line, before.line);
});

onOneLecture("a card that would reach under the bar, or under the state of a phone, stands above its link", async (open, lecture, skip) => {
  if (!/class="card"/.test(lecture.html)) return skip("no references");
  for (const [width, height] of [[1280, 860], [390, 780]]) {
    const page = await open({ width, height });
    const link = page.locator(".row:not(.raw) .ref:has(+ .card):visible").last();
    await link.evaluate((element) => {
      const parts = [".bar", ...(innerWidth <= 860 ? [".env"] : [])];
      const edge = Math.min(...parts.map((part) => document.querySelector(part).getBoundingClientRect().top));
      scrollBy({ top: element.getBoundingClientRect().bottom - edge + 20, behavior: "instant" });
    });
    await drawn(page);
    await link.evaluate((element) => element.focus({ preventScroll: true }));
    await drawn(page);
    const [card, own, top] = await link.evaluate((element) => [element.nextElementSibling, element, document.querySelector(".top")].map((each) => each.getBoundingClientRect().toJSON()));
    assert.ok(card.height > 0 && card.bottom <= own.top, `the card ends at ${card.bottom}, the link begins at ${own.top}`);
    assert.ok(card.top >= top.bottom);
  }
});
