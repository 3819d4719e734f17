// What is far from the window is neither laid out nor painted at a step, and nothing of that is seen: places and sizes are
// those of a page that is laid out whole.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join, normalize } from "node:path";
import { test } from "node:test";
import { drawn, goTo, lectures, lightestFirst, longestFirst, onEachLecture, onOneLecture, openPage, press, site } from "./support.mjs";
import { url as unusual } from "./unusual_lecture.mjs";

const skipped = (page) => page.$$eval(".block", (blocks) => blocks.filter((block) => !block.firstElementChild?.checkVisibility({ contentVisibilityAuto: true })).length);
const settled = (page) => page.waitForFunction(() => document.documentElement.classList.contains("kept"));
/** Largest first: there is something far from the window. */
const among = [...lectures].sort((a, b) => b.html.length - a.html.length);

/** Height of the page and the places of all rows, as they are and laid out whole. */
async function expectSamePlaces(page, what) {
  const places = () => page.evaluate(() => [document.documentElement.scrollHeight, ...[...document.querySelectorAll(".block")].filter((block) => block.closest("details:not([open])") === null).map((block) => Math.round(block.getBoundingClientRect().top + scrollY))]);
  await settled(page);
  await drawn(page);
  const kept = await places();
  await page.evaluate(() => document.documentElement.classList.remove("kept"));
  const whole = await places();
  await page.evaluate(() => document.documentElement.classList.add("kept"));
  await drawn(page);
  assert.deepEqual(kept, whole, what);
}

onOneLecture("blocks far from the window are skipped, and everything is where it would be", async (open) => {
  const page = await open();
  await settled(page);
  await drawn(page);
  const blocks = await page.locator(".block").count();
  assert.ok((await skipped(page)) > blocks / 2, `${await skipped(page)} of ${blocks}`);
  await expectSamePlaces(page, "at the start");
  await press(page, "ArrowRight", 20);
  await expectSamePlaces(page, "after steps");
  for (const [key, what] of [["r", "raw view"], ["r", "no longer"], ["e", "without the state"], ["f", "with costs"]]) {
    await press(page, key);
    await page.waitForTimeout(200); // the columns come with their data
    await expectSamePlaces(page, what);
  }
  await page.setViewportSize({ width: 700, height: 700 });
  await page.waitForTimeout(200); // it is laid out whole for two frames
  await expectSamePlaces(page, "in another width");
}, { among });

onOneLecture("a far jump ends with the line in view, and what it shows there has its size", async (open, lecture) => {
  const page = await open();
  await settled(page);
  for (const step of [lecture.data.at.length - 1, 0, Math.floor(lecture.data.at.length / 2)]) {
    await goTo(page, step);
    const [top, bottom, height] = await page.$$eval(".row.now, .title.now", (rows) => {
      const box = rows.find((row) => row.getClientRects().length > 0).getBoundingClientRect();
      return [box.top, box.bottom, innerHeight];
    });
    assert.ok(bottom > 0 && top < height, `step ${step + 1}: from ${top} to ${bottom}`);
    await expectSamePlaces(page, `step ${step + 1}`);
  }
}, { among: longestFirst });

onOneLecture("a card reaches beyond its block, over what follows", async (open, lecture, skip) => {
  const page = await open();
  const refs = page.locator(".block .ref:has(+ .card)");
  if ((await refs.count()) === 0) return skip("no card");
  for (let i = 0; i < Math.min(6, await refs.count()); ++i) {
    const ref = refs.nth(i);
    if (!(await ref.isVisible())) continue;
    await ref.scrollIntoViewIfNeeded();
    await ref.hover();
    await drawn(page);
    const covered = await ref.evaluate((link) => {
      const card = link.nextElementSibling;
      const { left, right, top, bottom } = card.getBoundingClientRect();
      return [[left + 20, top + 8], [right - 20, bottom - 8]].filter(([x, y]) => y > 60 && y < innerHeight - 80 && !card.contains(document.elementFromPoint(x, y)));
    });
    assert.deepEqual(covered, [], `card ${i}`);
    await page.mouse.move(2, 2);
  }
}, { among: lectures.filter(({ html }) => html.includes('class="card"')) });

onOneLecture("a step lays out no more than a few parts of the page", async (open) => {
  const page = await open();
  await settled(page);
  await press(page, "ArrowRight", 3);
  const session = await page.context().newCDPSession(page);
  const counts = async (tell) => {
    await session.send("Tracing.start", { transferMode: "ReportEvents", categories: "devtools.timeline" });
    const events = [];
    session.on("Tracing.dataCollected", ({ value }) => events.push(...value));
    await tell();
    const complete = new Promise((done) => session.once("Tracing.tracingComplete", done));
    await session.send("Tracing.end");
    await complete;
    return events;
  };
  const events = await counts(() => press(page, "ArrowRight", 1));
  const styled = events.filter(({ name }) => name === "UpdateLayoutTree").map(({ args }) => args.elementCount ?? 0);
  const elements = await page.locator("*").count();
  assert.ok(styled.length > 0);
  assert.ok(styled.reduce((sum, count) => sum + count, 0) < Math.max(1500, elements / 10), `${styled} of ${elements} elements styled`);
}, { among });

test("no rule of the page's style asks what is anywhere in it", () => {
  const style = readFileSync(join(site, "assets/style.css"), "utf8");
  // Such a selector is matched anew at each step, by a walk over all elements.
  assert.deepEqual(style.match(/(?:^|[},])\s*(?:html|:root|body|\.lec|main)[^{},\s>+~]*:has\([^{]*/g) ?? [], []);
});

test("a block of lines that only raw view has is no box outside of it", async () => {
  const page = await openPage(unusual);
  const boxes = () => page.$$eval(".block.raw", (blocks) => blocks.map((block) => block.getClientRects().length));
  await press(page, "r");
  const shown = await boxes();
  assert.ok(shown.length > 1);
  assert.deepEqual(new Set(shown), new Set([1]), "in raw view");
  assert.deepEqual(await page.$$eval(".block.raw .row:not(.raw, .hide)", (rows) => rows.map((row) => row.id)), []);
  await press(page, "r");
  assert.deepEqual(new Set(await boxes()), new Set([0]));
  await page.context().close();
});

test("letters beyond Latin are in families of their own", () => {
  const style = readFileSync(join(site, "assets/style.css"), "utf8");
  const ranges = new Map();
  for (const [rule] of style.matchAll(/@font-face\{[^}]*\}/g)) {
    const [family, slant, range] = ["font-family", "font-style", "unicode-range"].map((name) => new RegExp(`${name}:([^;}]*)`).exec(rule)?.[1] ?? "");
    ranges.set(`${family} ${slant}`, [...(ranges.get(`${family} ${slant}`) ?? []), range]);
  }
  // Among faces of one family of which some are not loaded, Chromium asks the system for a font in each size of the page.
  const divided = [...ranges].filter(([family, list]) => !family.includes("More") && list.length > 1);
  assert.deepEqual(divided, []);
  assert.ok(ranges.size > 8);
});

onOneLecture("nothing that a step puts into the state makes the browser count in the whole page", async (open, lecture) => {
  const page = await open();
  await goTo(page, Number(Object.keys(lecture.data.vars).at(-1)));
  const counted = await page.evaluate(() =>
    [...document.querySelectorAll(".env *")].flatMap((element) => {
      const { contain, contentVisibility, counterIncrement, counterReset, counterSet } = getComputedStyle(element);
      const counts = [counterIncrement, counterReset, counterSet].some((directive) => directive !== "none");
      return counts || contentVisibility === "auto" || /style|content|strict/.test(contain) ? [element.outerHTML.slice(0, 80)] : [];
    }),
  );
  assert.deepEqual(counted, []);
  assert.ok((await page.locator(".env summary").count()) > 0);
}, { among: lectures.filter(({ data }) => data.html.some((fragment) => fragment.includes('class="tensor'))) });

onEachLecture("what is painted first fills the window", async (open) => {
  const page = await open();
  await settled(page);
  const { shown, edge } = await page.evaluate(() => {
    const near = [...document.querySelectorAll(".block.near:not(.tall)")].filter((block) => block.getClientRects().length > 0);
    return { shown: Math.max(...near.map((block) => block.getBoundingClientRect().bottom)), edge: document.querySelector(".bar").getBoundingClientRect().top };
  });
  assert.ok(shown >= edge || (await page.locator(".block:not(.near), .block.tall").count()) === 0, `${shown} of ${edge}`);
});

/** Serves the site, and each page in pieces: up to and including the nth `mark`, and the rest `late` milliseconds later. */
async function servedInPieces(mark, nth, late = 600) {
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url, "http://localhost").pathname);
    const type = { ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".html": "text/html" }[/\.\w+$/.exec(path)?.[0]];
    const content = readFileSync(join(site, path));
    response.writeHead(200, { "content-type": type ?? "application/octet-stream" });
    if (type !== "text/html") return response.end(content);
    let end = 0;
    for (let i = 0; i < nth; ++i) end = content.indexOf(mark, end) + mark.length;
    response.write(content.subarray(0, end));
    setTimeout(() => response.end(content.subarray(end)), late);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => void server.close(() => {}).closeAllConnections() };
}

test("the first window is painted when it has come, whatever follows", async () => {
  const { name } = among[0];
  const server = await servedInPieces('<section class="source far"', 1, 4000);
  try {
    const page = await openPage(`${server.url}${name}/index.html`);
    await settled(page);
    const { painted, came, blocks } = await page.evaluate(() => ({
      painted: performance.getEntriesByName("first-contentful-paint")[0].startTime,
      came: performance.getEntriesByType("navigation")[0].responseEnd,
      blocks: document.querySelectorAll(".block").length,
    }));
    assert.ok(painted < came, `painted after ${painted}, complete after ${came} ms`);
    assert.ok(blocks > 10);
  } finally {
    server.close();
  }
});

test("nothing moves in a page that arrives in pieces", async () => {
  const { name } = lightestFirst[0];
  // Within the row of buttons, before the title, and within what the first window shows.
  for (const [mark, nth] of [["</button>", 1], ["<h1", 1], ['<div class="block', 3]]) {
    const server = await servedInPieces(mark, nth);
    try {
      for (const [width, height] of [[1280, 860], [390, 780]]) {
        const page = await openPage(`${server.url}${name}/index.html`, { width, height });
        await drawn(page);
        assert.deepEqual(await page.evaluate(() => window.shifts), [], `up to ${mark} ${nth}, ${width} pixels wide`);
        await page.context().close();
      }
    } finally {
      server.close();
    }
  }
});
