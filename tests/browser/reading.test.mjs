import assert from "node:assert/strict";
import { cpSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bothOrigins, drawn, goTo, lectures, message, onEachLecture, onOneLecture, press, reload, site, temporaryFolder } from "./support.mjs";

onEachLecture("with JavaScript off everything can be read and nothing waits for it", async (open, lecture) => {
  const page = await open({ script: false });
  for (const control of [".bar", ".env", ".tools", ".find-here"]) assert.ok(!(await page.isVisible(control)), control);
  assert.ok(await page.isVisible("main h1"));
  await page.locator(".fold > summary").first().click();
  const { open: opened, hidden, notes, visibility } = await page.evaluate(() => {
    const visible = (part) => part.checkVisibility({ visibilityProperty: true }) && part.getClientRects().length > 0;
    const first = document.querySelector(".fold").open;
    for (const summary of document.querySelectorAll(".fold:not([open]) > summary")) summary.click();
    return {
      open: first,
      hidden: [".row.code:not(.raw, .hide)", ".row:not(.quiet) > .slot", ".row:not(.raw, .hide) .chip"].flatMap((parts) => [...document.querySelectorAll(parts)].filter((part) => !visible(part)).map((part) => part.outerHTML.slice(0, 120))),
      notes: [...document.querySelectorAll(".note")].filter(visible).length,
      visibility: getComputedStyle(document.body).visibility,
    };
  });
  assert.ok(opened, "what is folded opens");
  assert.deepEqual(hidden, []);
  assert.equal(notes, 0, "notes are the speaker's");
  assert.equal(visibility, "visible");
});

onOneLecture("with JavaScript off the home page leads to every lecture", async (open) => {
  const home = await open({ script: false, path: "index.html" });
  for (const { name } of lectures) assert.ok(await home.isVisible(`a[href*="${name}"]`), name);
});

async function nothingMoves(page, when, least = 0) {
  await page.evaluate(() => document.fonts.ready);
  await page.waitForTimeout(400); // for what would come late
  assert.deepEqual((await page.evaluate(() => window.shifts)).filter((shift) => parseFloat(shift) >= least), [], when);
}

async function pageIsQuiet(open, lecture) {
  const page = await open();
  await nothingMoves(page, "when it is opened");
  const origin = new URL(page.url()).origin;
  await press(page, "ArrowRight", 5);
  await goTo(page, lecture.data.at.length - 1);
  for (const key of ["r", "r", "a", "n", "e", "e"]) await press(page, key);
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  await page.waitForFunction(() => document.fonts.status === "loaded");
  await page.waitForTimeout(300); // for what would come late
  for (const url of page.requests) {
    const { protocol, origin: asked } = new URL(url);
    assert.ok(protocol === "data:" || asked === origin, `asked for ${url}`);
  }
  assert.deepEqual(await page.evaluate(() => window.violations), []);
  assert.deepEqual(page.complaints, []);
  assert.ok((await page.evaluate(() => [...document.fonts].filter((face) => face.status === "loaded").length)) > 0, "the fonts load");
}
const quiet = "nothing moves by itself, is asked of another host, violates the policy, or is complained of";
onEachLecture(quiet, pageIsQuiet);
onOneLecture(`${quiet}, served`, pageIsQuiet, { from: ["served"] });

onOneLecture("the page carries its policy, and it works", async (open) => {
  const page = await open();
  const policy = await page.getAttribute('meta[http-equiv="Content-Security-Policy"]', "content");
  for (const rule of ["default-src 'none'", "script-src 'self'", "style-src 'self'"]) assert.ok(policy.includes(rule), rule);
  const ran = await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.intruder = true";
    document.body.append(script);
    return window.intruder === true;
  });
  assert.equal(ran, false, "a script in the page does not run");
}, { from: bothOrigins });

const sizes = [[1280, 860], [390, 780]];

onOneLecture("nothing moves in a page that is loaded again", async (open) => {
  for (const [width, height] of sizes) {
    const page = await open({ width, height });
    await reload(page);
    await nothingMoves(page, `at ${width}`);
  }
});

onEachLecture("nor in one that is opened at a place in it: a section, a line, one that is folded, a step", async (open, lecture) => {
  const page = await open();
  const hashes = await page.evaluate(() => {
    const middle = (all) => all[all.length >> 1];
    const lines = [...document.querySelectorAll(".row.code[id]")];
    const rows = [lines.filter((row) => !row.closest(".fold")), lines.filter((row) => row.closest(".fold"))].map((all) => middle(all)?.id);
    return [middle([...document.querySelectorAll("nav.out a")])?.hash, ...rows.map((id) => id && `#${id}`)].filter(Boolean);
  });
  const step = `#step=${lecture.data.at.length >> 1}`;
  for (const [at, hash] of [...hashes, step, step].entries()) {
    const [width, height] = sizes[at % 2];
    await page.setViewportSize({ width, height });
    await reload(page, hash);
    // What a claim of the step says may come after it, and be some pixels wider than the last one's words.
    await nothingMoves(page, `${hash} at ${width}`, hash === step ? 0.0001 : 0);
    const place = hash.startsWith("#step=") ? ".row.now, .title.now" : `[id="${decodeURIComponent(hash.slice(1))}"]`;
    const tops = await page.$$eval(place, (all) => all.map((each) => each.getBoundingClientRect().top));
    assert.ok(tops.some((top) => top >= 0 && top < height), `${hash} at ${width}: at ${tops}`);
  }
});

onOneLecture("nor in one that the server sent before", async (open) => {
  const page = await open();
  await reload(page);
  await nothingMoves(page, "served");
}, { from: ["served"] });

onOneLecture("nothing moves either when something is late", async (open) => {
  // Without its steps a page is as it is without what needs them.
  for (const [what, among] of [["*.woff2", sizes], ["viewer.js", sizes], ["steps.js", sizes.slice(-1)]]) {
    for (const [width, height] of among) {
      const prepare = (page) => page.route(`**/${what}`, async (route) => {
        await new Promise((done) => setTimeout(done, 900));
        await route.continue().catch(() => {});
      });
      await nothingMoves(await open({ width, height, prepare }), `at ${width}, ${what} late`);
    }
  }
});

onEachLecture("on a phone nothing moves, the state is under the text, and nothing scrolls sideways", async (open, lecture) => {
  const page = await open({ width: 390, height: 780 });
  await nothingMoves(page, "when it is opened");
  for (const step of new Set([0, Math.floor(lecture.data.at.length / 2), lecture.data.at.length - 1])) {
    await goTo(page, step);
    const box = await page.evaluate(() => {
      const env = document.querySelector(".env").getBoundingClientRect();
      const bar = document.querySelector(".bar").getBoundingClientRect();
      const row = [...document.querySelectorAll(".row.now")].find((element) => element.getClientRects().length > 0);
      const wide = document.documentElement.scrollWidth;
      return { top: env.top, bottom: env.bottom, bar: bar.top, row: row?.getBoundingClientRect().top, wide };
    });
    assert.equal(box.wide, 390);
    assert.ok(box.bottom <= box.bar + 0.5, "the sheet ends where the bar begins");
    if (box.row !== undefined) assert.ok(box.row < box.top, `the current row, at ${box.row}, is above the sheet, at ${box.top}`);
  }
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  await drawn(page);
  const [main, env] = await page.evaluate(() => [".lec", ".env"].map((name) => document.querySelector(name).getBoundingClientRect()));
  assert.ok(main.bottom <= env.top + 0.5, "the end of the text is above the sheet");
  await page.setViewportSize({ width: 360, height: 700 });
  const scrolled = () => page.evaluate(() => document.documentElement.scrollWidth);
  assert.equal(await scrolled(), 360);
  await press(page, "r");
  assert.equal(await scrolled(), 360, "raw view");
});

onOneLecture("the home page does not scroll sideways at 360 pixels", async (open) => {
  const home = await open({ width: 360, height: 700, path: "index.html" });
  assert.equal(await home.evaluate(() => document.documentElement.scrollWidth), 360);
});

onOneLecture("it prints as a lecture with its values", async (open) => {
  const page = await open({ theme: "dark" });
  await press(page, "ArrowRight", 2);
  await press(page, "a");
  await page.emulateMedia({ media: "print" });
  for (const part of [".bar", ".env", ".out", ".top"]) assert.ok(!(await page.isVisible(part)), part);
  const hidden = await page.$$eval(".row:not(.raw):not(.hide):not(.quiet), .row:not(.raw):not(.hide) .chips > *", (parts) =>
    parts.filter((part) => !part.closest(".fold")).filter((part) => part.getClientRects().length === 0 || getComputedStyle(part).visibility !== "visible").map((part) => part.outerHTML.slice(0, 120)),
  );
  assert.deepEqual(hidden, []);
  const folds = await page.locator(".fold").count();
  assert.equal(await page.locator(".fold:not([open]) > summary:visible").count(), folds, "what is folded is told by its first line");
  for (const words of await page.locator(".fold > summary").allInnerTexts()) assert.match(words, /^\S.* \d+ lines$/s);
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(255, 255, 255)");
});

onOneLecture("a page without its steps says so and can be read", async (open, lecture) => {
  const folder = temporaryFolder("browser");
  cpSync(site, folder, { recursive: true });
  for (const breakIt of [(file) => rmSync(file), (file) => writeFileSync(file, 'lectern({"at":[0')]) {
    breakIt(join(folder, lecture.name, "steps.js"));
    const page = await open();
    await page.goto(pathToFileURL(join(folder, lecture.name, "index.html")).href);
    await page.waitForFunction(() => document.documentElement.classList.contains("still"));
    assert.match(await message(page), /steps are missing/);
    assert.ok(await page.isVisible("main h1"));
    assert.ok(!(await page.isVisible(".bar")), "no controls that could do nothing");
    const [told, title] = await page.evaluate(() => ["#message", ".title"].map((name) => document.querySelector(name).getBoundingClientRect().toJSON()));
    assert.ok(told.bottom <= title.top, `the message, up to ${told.bottom}, is above the title, from ${title.top}`);
  }
});
