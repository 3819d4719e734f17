import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { drawn, facts, goTo, longestFirst, message, onOneLecture, onTwoLectures, openPage, press, shownStep } from "./support.mjs";
import { lines, url } from "./unusual_lecture.mjs";

async function checkMoves(page, lecture, doing) {
  const run = facts(lecture.data);
  const call = run.call();
  const begin = call ?? 0;
  await goTo(page, begin);
  await doing.step();
  assert.equal(await shownStep(page), begin + 1, "a step forward");
  await doing.back();
  assert.equal(await shownStep(page), begin, "a step back");
  await doing.over();
  assert.equal(await shownStep(page), run.over(begin), "over the call");
  await doing.overBack();
  assert.equal(await shownStep(page), run.overBack(run.over(begin)), "back over the call");
  if (call === undefined) return;
  await goTo(page, call + 1);
  await doing.out();
  assert.equal(await shownStep(page), run.out(call + 1), "out of the function");
}

const byKeys = (page, keys) =>
  Object.fromEntries(Object.entries(keys).map(([move, key]) => [move, () => press(page, key)]));

onOneLecture("buttons step forward, back, over, over back and out", async (open, lecture, skip) => {
  if (facts(lecture.data).call() === undefined) return skip("no calls");
  const page = await open.shared();
  const click = (action) => async () => {
    await page.click(`.bar [data-action="${action}"]`);
    await drawn(page);
  };
  await checkMoves(page, lecture, {
    step: click("step"), back: click("back"), over: click("over"), overBack: click("over-back"), out: click("out"),
  });
  await click("first")();
  assert.equal(await shownStep(page), 0);
});

onTwoLectures("keys step forward, back, over, over back and out", async (open, lecture) => {
  const page = await open.shared();
  const arrows = { step: "ArrowRight", back: "ArrowLeft", over: "ArrowDown", overBack: "ArrowUp", out: "u" };
  await checkMoves(page, lecture, byKeys(page, arrows));
});

onOneLecture("other keys do the same", async (open, lecture, skip) => {
  if (facts(lecture.data).call() === undefined) return skip("no calls");
  const page = await open.shared();
  for (const keys of [
    { step: "l", back: "h", over: "j", overBack: "k", out: "u" },
    { step: "l", back: "h", over: "Shift+ArrowRight", overBack: "Shift+ArrowLeft", out: "Shift+U" },
    { step: "l", back: "h", over: "Shift+L", overBack: "Shift+H", out: "u" },
  ]) {
    await checkMoves(page, lecture, byKeys(page, keys));
  }
});

onOneLecture("a held-down key loses no step", async (open, lecture) => {
  const page = await open();
  await goTo(page, 0);
  const wanted = Math.min(40, lecture.data.at.length - 1);
  for (let i = 0; i < wanted; ++i) {
    await page.keyboard.down("ArrowRight");
    await page.waitForTimeout(33); // as keyboards repeat
  }
  await page.keyboard.up("ArrowRight");
  await drawn(page);
  assert.equal(await shownStep(page), wanted);
  await page.waitForFunction((tail) => location.hash.endsWith(tail), `@${wanted + 1}`);
}, { among: longestFirst });

onOneLecture("the ends of the run say so and stay", async (open, lecture) => {
  const page = await open.shared();
  const last = lecture.data.at.length - 1;
  await goTo(page, last);
  await press(page, "ArrowRight");
  assert.equal(await shownStep(page), last);
  assert.match(await message(page), /last step/);
  await goTo(page, 0);
  await press(page, "ArrowLeft");
  assert.equal(await shownStep(page), 0);
  assert.match(await message(page), /first step/);
});

onTwoLectures("the current statement and its callers are marked, and there to be seen at the first step", async (open, lecture) => {
  const page = await open.shared();
  const { data } = lecture;
  const run = facts(data);
  await goTo(page, 0);
  const box = await page.locator(".now:visible").first().boundingBox();
  assert.ok(box.y >= 0 && box.y < page.viewportSize().height, `at ${box.y}`);
  for (let step = 0; step < Math.min(run.count, 40); ++step) {
    if (step > 0) await press(page, "ArrowRight");
    const [source, first, last] = data.sites[data.at[step]];
    const { hasRow, quiet, now, calling, frames } = await page.evaluate((id) => {
      const lines = (rows) => [...document.querySelectorAll(rows)].map((row) => Number(row.dataset.line));
      return {
        hasRow: document.getElementById(id) !== null, quiet: document.getElementById(id)?.matches(".quiet"), now: lines(".row.now"), calling: lines(".row.calling"),
        frames: document.querySelectorAll("#stack li").length,
      };
    }, `s${source}-${first}`);
    // Of a speaker's note, the row before it is marked as well (in_view.test.mjs).
    assert.ok(quiet || now.every((line) => line >= first && line <= last), `step ${step}: ${now} are not of ${first}–${last}`);
    if (hasRow) assert.ok(now.length > 0, `step ${step}: no row is marked`);
    assert.equal(frames, run.depthOf(step), `step ${step}: the call stack's depth`);
    const caller = data.stacks[data.in[step]][1];
    if (caller < 0) continue;
    const callLine = data.sites[caller][1];
    assert.ok(calling.includes(callLine), `step ${step}: the caller's line ${callLine} is not marked`);
  }
});

onOneLecture("a click on a line's number goes to its next execution in the last direction", async (open, lecture, skip) => {
  const page = await open.shared();
  const { data } = lecture;
  const run = facts(data);
  // A line that ran several times, that no other statement shares, and that is visible.
  const site = data.sites.findIndex(
    ([source, line], index) =>
      run.begins(index).length >= 3 &&
      data.sites.filter(([file, first, last]) => file === source && first <= line && line <= last).length === 1 &&
      lecture.html.includes(`id="s${source}-${line}"`),
  );
  if (site < 0) return skip("no line of its own ran three times");
  const begins = run.begins(site);
  const number = page.locator(`#s${data.sites[site][0]}-${data.sites[site][1]} > .n`);
  await goTo(page, 0);
  await press(page, "ArrowRight");
  const later = begins.filter((step) => step > 1);
  for (const step of later.slice(0, 3)) {
    await number.click();
    await drawn(page);
    assert.equal(await shownStep(page), step);
  }
  await goTo(page, begins[1] + 1);
  await press(page, "ArrowLeft");
  await number.click();
  await drawn(page);
  assert.equal(await shownStep(page), begins[0], "backward after a step back");
  await number.click();
  await drawn(page);
  assert.equal(await shownStep(page), begins.at(-1), "around to the last execution");
  assert.equal(await message(page), `Around to the last of ${begins.length.toLocaleString("en")} times.✕`);
});

onOneLecture("keys go to the next time and the time before that a line ran", async (open, lecture, skip) => {
  const run = facts(lecture.data);
  const begins = lecture.data.sites.map((_, site) => run.begins(site)).find((steps) => steps.length >= 3);
  if (!begins) return skip("no statement ran three times");
  const page = await open.shared();
  await goTo(page, begins[0]);
  await press(page, ".");
  assert.equal(await shownStep(page), begins[1]);
  await press(page, ",");
  assert.equal(await shownStep(page), begins[0]);
  await press(page, ",");
  assert.equal(await shownStep(page), begins.at(-1));
  await press(page, ".");
  assert.equal(await shownStep(page), begins[0]);
  assert.equal(await message(page), `Back to the first of ${begins.length.toLocaleString("en")} times.✕`);
});

onOneLecture("a line that ran once says so, and the run stays there", async (open, lecture, skip) => {
  const run = facts(lecture.data);
  const [only] = lecture.data.sites.map((_, site) => run.begins(site)).find((steps) => steps.length === 1) ?? [];
  if (only === undefined) return skip("every statement ran more than once");
  const page = await open.shared();
  await goTo(page, only);
  const entries = await page.evaluate(() => history.length);
  for (const key of [".", ","]) {
    await press(page, key);
    assert.equal(await message(page), "This line ran once.✕");
    assert.equal(await shownStep(page), only);
  }
  assert.equal(await page.evaluate(() => history.length), entries, "nothing to come back from");
});

onOneLecture("a click on a line without a statement says so", async (open, lecture, skip) => {
  const page = await open();
  const line = await page.evaluate((sites) => {
    const rows = [...document.querySelectorAll(".row.code:not(.raw, .never, .unrecorded, .blank, .site)")];
    return rows.find((row) => {
      const source = Number(row.closest(".source").dataset.source);
      const at = Number(row.dataset.line);
      return row.checkVisibility() && !row.closest(".fold") && !sites.some(([file, first, last]) => file === source && first <= at && at <= last);
    })?.id;
  }, lecture.data.sites);
  if (!line) return skip("every line holds a statement");
  await page.click(`#${line} > .n`);
  assert.match(await message(page), /no statement/);
  assert.equal(await shownStep(page), 0);
});

test("a click on a line that never ran says so", async () => {
  const page = await openPage(url);
  await page.click(`#s0-${lines.never} > .n`);
  assert.match(await message(page), /never ran/);
  await page.context().close();
});

onOneLecture("the slider goes to a step and follows the steps", async (open, lecture) => {
  const page = await open();
  const last = lecture.data.at.length - 1;
  const slider = page.locator("#progress");
  const box = await slider.boundingBox();
  await page.mouse.click(box.x + box.width - 8, box.y + box.height / 2);
  await drawn(page);
  assert.equal(await shownStep(page), last);
  await slider.focus();
  await press(page, "Home");
  assert.equal(await shownStep(page), 0);
  await press(page, "ArrowRight");
  assert.equal(await shownStep(page), Math.min(1, last));
  assert.match(await slider.getAttribute("aria-valuetext"), /^step 2 of/);
  await page.mouse.move(box.x + 8, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 8 });
  await page.mouse.up();
  await drawn(page);
  const middle = await shownStep(page);
  assert.ok(Math.abs(middle - last / 2) <= Math.max(1, last * 0.05), `dragged to ${middle} of ${last}`);
}, { among: longestFirst });

onOneLecture("buttons name their keys as they are to be typed", async (open) => {
  const keys = readFileSync(new URL("../../site_templates/src/keys.ts", import.meta.url), "utf8");
  const actions = new Map([...keys.matchAll(/\[\[(.*?)\], "([a-z-]+)", /g)].flatMap(([, names, action]) => JSON.parse(`[${names}]`).map((key) => [key, action])));
  const page = await open();
  await press(page, "m");
  const titled = await page.$$eval("button[data-action][title]", (all) => all.map(({ dataset, title }) => [dataset.action, /\((\p{L})\)$/u.exec(title)?.[1]]).filter(([, key]) => key));
  assert.ok(titled.length > 8, `${titled.length} of them`);
  for (const [action, key] of titled) assert.equal(actions.get(key), action, key);
});
