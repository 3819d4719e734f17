// For everybody: touch, right-to-left and East Asian prose, forced colours, links to lines, what a screen reader hears.

import assert from "node:assert/strict";
import { test } from "node:test";
import { renderShows } from "./shown_lecture.mjs";
import { drawn, goTo, message, onEachLecture, onOneLecture, onTwoLectures, openPage, press, reload, shownStep, temporaryFolder } from "./support.mjs";

// --- touch -------------------------------------------------------------------------------------------------------------

/** A finger from one point to another, within a fifth of a second however busy the machine is. */
async function swipe(page, from, to, { steps = 6 } = {}) {
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setTouchEmulationEnabled", { enabled: true });
  let timestamp = Date.now() / 1000;
  const touch = (type, points) => session.send("Input.dispatchTouchEvent", { type, touchPoints: points, timestamp: (timestamp += 0.025) });
  await touch("touchStart", [{ x: from[0], y: from[1] }]);
  for (let i = 1; i <= steps; ++i) {
    await touch("touchMove", [{ x: from[0] + ((to[0] - from[0]) * i) / steps, y: from[1] + ((to[1] - from[1]) * i) / steps }]);
  }
  await touch("touchEnd", []);
  await drawn(page);
}

onOneLecture("a swipe across the text steps; one along it scrolls, one at the edge or over a selection does nothing", async (open) => {
  const page = await open({ width: 390, height: 780 });
  const y = 300;
  await swipe(page, [300, y], [120, y + 10]);
  assert.equal(await shownStep(page), 1);
  await swipe(page, [300, y], [120, y - 10]);
  assert.equal(await shownStep(page), 2);
  await swipe(page, [100, y], [280, y]);
  assert.equal(await shownStep(page), 1, "to the right: back");
  await swipe(page, [200, 400], [200, 200]);
  assert.equal(await shownStep(page), 1, "up");
  await swipe(page, [200, y], [170, y]);
  assert.equal(await shownStep(page), 1, "too short");
  await swipe(page, [385, y], [200, y]);
  assert.equal(await shownStep(page), 1, "from the edge of the screen");
  await page.evaluate(() => getSelection().selectAllChildren(document.querySelector(".title h1")));
  await swipe(page, [300, y], [120, y]);
  assert.equal(await shownStep(page), 1, "with a selection");
});

// --- prose of other scripts -----------------------------------------------------------------------------------------------

const markdowns = ["# שלום\n\nזה tensor אחד.\n\n- ראשון `x[0]`\n- שני $x^2$", "这是一个张量，它有两个维度。", "テンソルの形を見る。", "Latin first, then مرحبا بالعالم."];


test("right-to-left prose begins at the right, code in it keeps its direction; East Asian prose has its language", async () => {
  const url = renderShows(temporaryFolder("written"), "written", markdowns.map((markdown) => [{ kind: "text", markdown }]));
  for (const size of [{ width: 1280, height: 860 }, { width: 360, height: 740 }]) {
    const page = await openPage(url, size);
    const at = (selector) => page.locator(selector).first().evaluate((element) => {
      const text = document.createRange();
      text.selectNodeContents(element);
      const [inner, box] = [text.getBoundingClientRect(), element.getBoundingClientRect()];
      return { left: inner.left - box.left, right: box.right - inner.right, direction: getComputedStyle(element).direction };
    });
    const hebrew = ".prose:lang(he)";
    assert.ok((await at(`${hebrew} p`)).right < 2, "the paragraph begins at the right");
    assert.ok((await at(`${hebrew} h2, ${hebrew} h1`)).right < 2, "and so does the heading");
    const list = await page.locator(`${hebrew} ul`).evaluate((element) => [getComputedStyle(element).direction, getComputedStyle(element).paddingRight]);
    assert.equal(list[0], "rtl");
    assert.notEqual(list[1], "0px", "its marks have their room there");
    assert.equal((await at(`${hebrew} code`)).direction, "ltr");
    assert.deepEqual(await page.$$eval(".prose[lang]", (all) => all.map(({ lang }) => lang)), ["he", "zh", "ja"]);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0);
    assert.deepEqual(page.complaints, []);
    await page.context().close();
  }
});

test("boxes, tabs and tables of right-to-left text begin at the right, too", async () => {
  const text = "זה tensor אחד.";
  const shows = [
    { kind: "callout", type: "note", markdown: text }, { kind: "exercise", markdown: text, answer: text }, { kind: "card", title: "שלום", markdown: text },
    { kind: "tabs", tabs: [{ title: "שלום", markdown: text }, { title: "Python", markdown: "print" }] }, { kind: "table", header: ["שלום", "n"], rows: [[text, "1"]] },
  ];
  const folder = temporaryFolder("boxes");
  const page = await openPage(renderShows(folder, "boxes", [[{ kind: "front", title: "שלום", goals: [text] }], ...shows.map((show) => [show])]));
  const directions = await page.$$eval(".title .goals, .slot :is(.callout, .box, .tabs, .tab:not(:last-child), .scroll)", (all) => all.map((element) => `${element.className} ${getComputedStyle(element).direction}`));
  assert.deepEqual(directions.filter((each) => !each.endsWith(" rtl")), []);
  assert.equal(directions.length, 7);
  for (const part of [".callout p:last-of-type", ".tab p", ".box-title", "td"]) {
    const gap = await page.locator(part).first().evaluate((element) => {
      const text = document.createRange();
      text.selectNodeContents(element);
      return element.getBoundingClientRect().right - text.getBoundingClientRect().right;
    });
    assert.ok(gap < 2, `${part} begins ${gap} pixels from the right`);
  }
  await page.context().close();
});

// --- links -------------------------------------------------------------------------------------------------------------

onOneLecture("the link of a line names its statement, and finds it when lines have moved", async (open, lecture, skip) => {
  const page = await open();
  const number = page.locator(".row.code:not(.raw) > a.n").nth(4);
  await number.focus();
  const hash = await number.evaluate((link) => link.hash);
  const row = await number.evaluate((link) => link.parentElement.id);
  if (!hash.startsWith("#line=")) return skip("its fifth line has no statement");
  const [bare, id] = await page.locator('.row.code:not(.raw) > a.n:not([href^="#line="])').first().evaluate((link) => [link.hash, link.parentElement.id]);
  assert.equal(bare, `#${id}`, "a line without a statement");
  for (const [address, words] of [[hash, null], [hash.replace(/@.*/, "@s0-99999"), null], [`#line=nobody~0@${row}`, /not in this version/], ["#line=nobody~0", /not in this version/]]) {
    await reload(page, address);
    await drawn(page);
    if (words) assert.match(await message(page), words);
    else assert.equal(await page.locator("#message").isVisible(), false, address);
    if (address === "#line=nobody~0") continue;
    const seen = await page.evaluate((id) => {
      const { top, bottom } = document.getElementById(id).getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    }, row);
    assert.ok(seen, `${address}: the line is in view`);
  }
});

// --- what is heard and seen -----------------------------------------------------------------------------------------------

onTwoLectures("a screen reader hears the line and what changed", async (open, lecture) => {
  const { data } = lecture;
  const step = Number(Object.keys(data.vars).find((at) => at > 0) ?? -1);
  if (step < 0) return;
  const page = await open.shared();
  await goTo(page, step - 1);
  await press(page, "ArrowRight");
  await page.waitForFunction((line) => document.getElementById("live").textContent.startsWith(`Line ${line}, `), data.sites[data.at[step]][1]);
  const heard = await page.locator("#live").textContent();
  for (const [name] of data.vars[step]) assert.ok(heard.includes(`${name} is `), `${name} in ${heard}`);
  assert.equal(await page.locator("#live").getAttribute("aria-live"), "polite");
});

onOneLecture("in forced colours the current line and the state can be told from the rest", async (open) => {
  const page = await open();
  await page.emulateMedia({ forcedColors: "active" });
  await press(page, "ArrowRight", 3);
  const outline = await page.locator(".row.now > .c, .row.now > .slot").first().evaluate((element) => [getComputedStyle(element).outlineStyle, getComputedStyle(element).outlineWidth]);
  assert.deepEqual(outline, ["solid", "2px"]);
  for (const current of [".stack [aria-current]", '.tools [data-action="env"][aria-pressed="true"]', ".runs [aria-current]"]) {
    const outlines = await page.$$eval(current, (all) => all.map((element) => getComputedStyle(element).outlineStyle));
    assert.ok(outlines.every((style) => style === "solid"), current);
  }
});

// --- zoom ---------------------------------------------------------------------------------------------------------------

onEachLecture("at 300 and 400 percent text is seen between the bars, and nothing scrolls sideways", async (open) => {
  const page = await open();
  for (const [width, height] of [[427, 287], [320, 256], [320, 640]]) {
    await page.setViewportSize({ width, height });
    await press(page, "ArrowRight", 4);
    const { room, wide, top, content } = await page.evaluate(() => {
      const [head, env, bar] = [".top", ".env", ".bar"].map((part) => document.querySelector(part).getBoundingClientRect());
      const parts = [...document.querySelectorAll(".top > *")].filter((part) => part.checkVisibility());
      const content = Math.max(...parts.map((part) => part.getBoundingClientRect().bottom));
      return { room: Math.min(env.top, bar.top) - Math.max(0, head.bottom), wide: document.documentElement.scrollWidth, top: head.bottom, content };
    });
    assert.ok(room >= 110, `${room} pixels at ${width} × ${height}`);
    assert.equal(wide, width);
    assert.ok(content <= top, `the top bar ends at ${top}, what is in it at ${content}`);
  }
});
