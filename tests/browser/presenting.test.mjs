// Presenting, and the speaker's window beside it.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { test } from "node:test";
import { bothOrigins, colours, drawn, goTo, lectures, message, onOneLecture, onTwoLectures, openPage, press, reload, setTheme, shownStep, temporaryFolder, violations } from "./support.mjs";

/** The visible rows that are no scaffolding, by their place in the page. */
const visibleRows = (page) => page.evaluate(() => [...document.querySelectorAll(".title, .part > .block > .row:not(.raw), .references")].flatMap((row, at) => (row.offsetHeight > 1 ? [at] : [])));
const presented = (page) => page.evaluate(() => document.documentElement.classList.contains("presenting"));
const place = (page) => page.locator(".slide-place").textContent();

onTwoLectures("presented, each section stands alone, and together they are the lecture", async (open, lecture) => {
  const page = await open();
  const all = await page.evaluate(() => [...document.querySelectorAll(".title, .part > .block > .row:not(.raw, .hide, .quiet, .aside), .references")].filter((row) => row.getClientRects().length > 0).length);
  await press(page, "P");
  assert.ok(await presented(page));
  for (const part of [".top", ".out", ".env", "#progress"]) assert.ok(!(await page.isVisible(part)), part);
  const [, count] = /^1 \/ (\d+)/.exec(await place(page));
  const outline = await page.locator("nav.out a").count();
  assert.equal(Number(count), outline + 1, "a slide for each heading, and one for the title");
  const seen = new Set();
  for (let slide = 1; ; ++slide) {
    const rows = await visibleRows(page);
    assert.ok(rows.length > 0, `slide ${slide} is empty`);
    assert.deepEqual(rows.filter((row) => seen.has(row)), [], "nothing is on two slides");
    for (const row of rows) seen.add(row);
    assert.match(await place(page), new RegExp(`^${slide} / `));
    if (slide === Number(count)) break;
    await press(page, "]");
  }
  assert.equal(seen.size, all);
  await press(page, "]");
  assert.match(await message(page), /last section/);
  await press(page, "[");
  assert.match(await place(page), new RegExp(`^${Number(count) - 1} / `));
});

onOneLecture("presented, the type is large and nothing is wider than the window", async (open) => {
  const page = await open();
  const size = () => page.evaluate(() => document.querySelector(".title h1").getBoundingClientRect().height / document.querySelector(".title h1").getClientRects().length);
  const before = await size();
  await press(page, "P");
  assert.ok((await size()) > 1.25 * before);
  for (const width of [1280, 390, 360]) {
    await page.setViewportSize({ width, height: 780 });
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${width} pixels`);
  }
});

onOneLecture("a clicker goes through every step that shows something, and the section follows", async (open, lecture) => {
  const page = await open({ hash: "#step=1" });
  await page.click('.tools [data-action="present"]');
  await drawn(page);
  assert.ok(await presented(page));
  let last = 0;
  for (let i = 0; i < 25; ++i) {
    await press(page, "PageDown");
    const step = await shownStep(page);
    assert.ok(step > last);
    last = step;
    assert.ok(await page.evaluate(() => [...document.querySelectorAll(".now")].some((row) => row.getClientRects().length > 0 && !row.matches(".aside"))), `step ${step + 1} is not seen`);
  }
  await press(page, "PageUp", 25);
  assert.equal(await shownStep(page), 0);
  await press(page, "Shift+PageDown");
  assert.match(await place(page), /^2 \/ /);
  await press(page, "e");
  assert.ok(await page.isVisible(".env"), "the state, where it is asked for");
});

async function addressKeepsIt(page) {
  await drawn(page);
  assert.equal(new URL(page.url()).search, "?present");
  await press(page, "]");
  const at = await place(page);
  await reload(page);
  await drawn(page);
  assert.ok(await presented(page));
  assert.equal(await place(page), at);
  await press(page, "?");
  await press(page, "Escape");
  assert.ok(await presented(page), "the list of keys was closed, no more");
  await press(page, "Escape");
  assert.ok(!(await presented(page)));
  assert.equal(new URL(page.url()).search, "");
  assert.ok(await page.isVisible(".env"));
  assert.deepEqual(page.complaints, []);
}

onOneLecture("the address keeps it, and Escape leaves it", async (open) => {
  const page = await open();
  await press(page, "P");
  await addressKeepsIt(page);
});

onOneLecture("so they do where it was begun by an address", async (open) => {
  const page = await open();
  await reload(page, "?present");
  await addressKeepsIt(page);
}, { from: ["served"] });

onOneLecture("without its steps a page with that address is the whole text", async (open) => {
  const page = await open({ prepare: (it) => it.route("**/steps.js", (route) => route.abort()) });
  await reload(page, "?present");
  assert.ok(await page.isVisible(".part .row.shown"));
}, { from: ["served"] });

async function openSpeaker(page) {
  const [speaker] = await Promise.all([page.waitForEvent("popup"), page.keyboard.press("S")]);
  speaker.complaints = [];
  speaker.on("console", (note) => ["error", "warning"].includes(note.type()) && speaker.complaints.push(note.text()));
  speaker.on("pageerror", (error) => speaker.complaints.push(String(error)));
  await speaker.waitForFunction(() => document.getElementById("place")?.textContent.startsWith("section"));
  return speaker;
}
const speakerStep = (speaker, step) => speaker.waitForFunction((text) => document.getElementById("place").textContent.endsWith(text), `step ${(step + 1).toLocaleString("en")} of ${speaker.steps}`);

onOneLecture("the speaker's window is in step with the page, both ways", async (open, lecture) => {
  const page = await open();
  await press(page, "P");
  const speaker = await openSpeaker(page);
  speaker.steps = lecture.data.at.length.toLocaleString("en");
  assert.equal(await speaker.textContent("#lecture"), await page.textContent("h1"));
  await press(page, "]");
  const step = await shownStep(page);
  await speakerStep(speaker, step);
  assert.equal(await speaker.textContent("#section"), (await page.locator("nav.out a").first().textContent()));
  assert.equal(await speaker.textContent("#next-title"), (await page.locator("nav.out a").nth(1).textContent()));
  await speaker.keyboard.press("PageDown");
  await page.waitForFunction((before) => !document.querySelector("#where b").textContent.startsWith(before), `step ${(step + 1).toLocaleString("en")} of`);
  const next = await shownStep(page);
  assert.ok(next > step);
  await speakerStep(speaker, next);
  await speaker.click('[data-action="back"]');
  await speakerStep(speaker, step);
  await speaker.keyboard.press("[");
  await page.waitForFunction(() => document.querySelector(".slide-place").textContent.startsWith("1 /"));
  assert.match(await speaker.textContent("#clock"), /^\d\d:\d\d$/);
  await speaker.waitForFunction(() => /^0:00:0[2-9]$/.test(document.getElementById("elapsed").textContent));
  await speaker.click("#reset");
  assert.match(await speaker.textContent("#elapsed"), /^0:00:0[01]$/);
  assert.deepEqual([...page.complaints, ...speaker.complaints], []);
}, { from: bothOrigins });

onOneLecture("the speaker's window has the notes of the section", async (open) => {
  const page = await open();
  await press(page, "n");
  const note = page.locator(".note").first();
  const text = (await note.locator("p:not(.box-title)").first().textContent()).trim();
  const site = await note.evaluate((it) => Number(it.closest("[data-site]").dataset.site));
  await press(page, "n");
  await goTo(page, page.lecture.data.at.indexOf(site));
  const speaker = await openSpeaker(page);
  await speaker.waitForFunction((wanted) => document.getElementById("notes").textContent.includes(wanted), text);
  assert.deepEqual(await violations(speaker), []);
  await setTheme(speaker, "dark");
  assert.deepEqual(await violations(speaker, "html", colours), [], "dark");
}, { among: lectures.filter(({ html }) => html.includes('class="note"')) });

onOneLecture("messages from other windows are ignored", async (open) => {
  const page = await open();
  const speaker = await openSpeaker(page);
  const forged = { lectern: "act", action: "step" };
  await page.evaluate((data) => postMessage(data, "*"), forged);
  await page.evaluate((data) => {
    const frame = document.createElement("iframe");
    document.body.append(frame);
    frame.contentWindow.parent.postMessage(data, "*");
  }, forged);
  const before = await speaker.textContent("#lecture");
  await speaker.evaluate(() => postMessage({ lectern: "state", lecture: "forged" }, "*"));
  await drawn(page);
  await page.waitForTimeout(300);
  assert.equal(await shownStep(page), 0);
  assert.equal(await speaker.textContent("#lecture"), before);
  assert.ok(!(await speaker.isVisible("#problem")));
  // Nor does a request of another kind do anything.
  for (const action of ["home", "constructor", 7, null]) await speaker.evaluate((it) => opener.postMessage({ lectern: "act", action: it }, "*"), action);
  await page.waitForTimeout(200);
  assert.equal(await shownStep(page), 0);
}, { from: bothOrigins });

onOneLecture("a speaker's window that was blocked or closed is told of, and so is a page", async (open) => {
  const page = await open();
  const opens = await page.evaluateHandle(() => window.open);
  await page.evaluate(() => (window.open = () => null));
  await press(page, "S");
  assert.match(await message(page), /blocked the speaker’s window/);
  await page.evaluate((original) => (window.open = original), opens);
  const speaker = await openSpeaker(page);
  await speaker.close();
  await page.waitForFunction(() => document.querySelector("#message").textContent.includes("was closed"));
  const again = await openSpeaker(page);
  await page.close();
  await again.waitForFunction(() => document.querySelector("#problem").textContent.includes("was closed"));
  const alone = await open({ path: "speaker.html" });
  assert.match(await alone.textContent("#problem"), /Open it from the lecture’s page/);
});

test("a page that was built for students says that it has no notes", async () => {
  const trace = join(dirname(fileURLToPath(import.meta.url)), "../../traces/cpu/lecture_01_tokenization.json");
  const folder = temporaryFolder("students");
  const made = spawnSync(process.env.LECTERN_BIN, ["render", trace, "-o", folder, "--audience", "students"], { encoding: "utf8" });
  assert.equal(made.status, 0, made.stderr);
  const page = await openPage(pathToFileURL(join(folder, "lecture_01_tokenization/index.html")).href);
  assert.equal(await page.locator(".note").count(), 0);
  await press(page, "P");
  const speaker = await openSpeaker(page);
  assert.match(await speaker.textContent("#notes"), /built for students: it has no speaker’s notes/);
  assert.deepEqual(page.complaints, []);
  await page.context().close();
});

onOneLecture("axe finds nothing to object to while presenting", async (open) => {
  const page = await open();
  await press(page, "P");
  await press(page, "]");
  assert.deepEqual(await violations(page), []);
  await page.setViewportSize({ width: 390, height: 800 });
  await setTheme(page, "dark");
  assert.deepEqual(await violations(page, "html", colours), [], "dark, on a phone");
});
