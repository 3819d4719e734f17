// Breakpoints on lines and variables, and playing.

import assert from "node:assert/strict";
import { click, expectControls, heard, onBoth, played, step, wide } from "./loop_lecture.mjs";
import { drawn, goTo, message, press, shownStep } from "./support.mjs";

// --- breakpoints -------------------------------------------------------------------------------------------------------

onBoth("a breakpoint on a line, by key and by button, stops a run on and back", async (page, size) => {
  for (const toggle of [() => press(page, "b"), () => click(page, "break")]) {
    await goTo(page, step.parts(0));
    await toggle();
    await heard(page, "^Breakpoint at line 8");
    assert.equal(await page.locator("#s0-8").evaluate((row) => row.classList.contains("break")), true);
    assert.ok(await page.getByRole("link", { name: "8, breakpoint" }).isVisible());
    assert.equal(await page.locator(".running span").textContent(), "1 breakpoint");
    await goTo(page, step.header(2));
    await press(page, "c");
    assert.equal(await shownStep(page), step.parts(2));
    assert.match(await message(page), /Stopped at line 8/);
    await click(page, "run");
    assert.equal(await shownStep(page), step.parts(3));
    await press(page, "Shift+C");
    assert.equal(await shownStep(page), step.parts(2));
    await click(page, "run-back");
    assert.equal(await shownStep(page), step.parts(1));
    await expectControls(page, ".running", size);
    await goTo(page, step.parts(0));
    await toggle();
    assert.equal(await page.locator(".row.break").count(), 0);
    assert.equal(await page.locator(".running").isVisible(), false);
  }
  await press(page, "c");
  assert.match(await message(page), /There is no breakpoint/);
});

onBoth("a breakpoint at the number that has the focus, or at a click beside it", async (page, size) => {
  const number = page.locator("#s0-2 > .n");
  await number.focus();
  await press(page, "b");
  assert.ok(await page.locator("#s0-2.break").isVisible());
  await press(page, "b");
  assert.equal(await page.locator(".break").count(), 0);
  if (size === wide) {
    const box = await number.boundingBox();
    await page.mouse.click(box.x + 5, box.y + box.height / 2);
    assert.ok(await page.locator("#s0-2.break").isVisible());
    assert.equal(await shownStep(page), 0, "the step stays");
    await number.click({ position: { x: box.width - 18, y: box.height / 2 } });
    await drawn(page);
    assert.equal(await shownStep(page), step.inside(0), "on the number it goes there");
    await click(page, "clear-breaks");
    assert.equal(await page.locator(".break").count(), 0);
  }
  await page.locator("#s0-4 > .n").focus();
  await press(page, "b");
  assert.match(await message(page), /no statement on this line/);
});

onBoth("a run stops when a variable changes", async (page) => {
  await goTo(page, step.after(0));
  await press(page, "v");
  const stop = page.getByRole("button", { name: "Stop when it changes" });
  await stop.click();
  assert.equal(await stop.getAttribute("aria-pressed"), "true");
  assert.ok(await page.locator(".var.watched").isVisible());
  await press(page, "c");
  assert.equal(await shownStep(page), step.after(1));
  assert.match(await message(page), /loss has another value/);
  await press(page, "c");
  assert.equal(await shownStep(page), step.after(2));
  await press(page, "C");
  assert.equal(await shownStep(page), step.after(1));
  await press(page, "w");
  assert.equal(await page.locator(".watched").count(), 0);
  await goTo(page, step.end);
  await press(page, "w");
  await goTo(page, 0);
  await press(page, "c");
  assert.equal(await shownStep(page), step.end, "the variable that the step gave is watched");
  await press(page, "c");
  assert.match(await message(page), /No breakpoint is reached after this step/);
});

// --- playing -----------------------------------------------------------------------------------------------------------

onBoth("it plays, at a speed that is set, until a breakpoint", async (page, size) => {
  await goTo(page, step.parts(0));
  await press(page, "b");
  for (let i = 0; i < 6; ++i) await press(page, "-"); // so that it does not stop before it is as fast as it gets
  for (const toggle of [() => press(page, "s"), () => click(page, "play")]) {
    await goTo(page, step.parts(0));
    await toggle();
    assert.equal(await page.locator('[data-action="play"]').getAttribute("aria-label"), "Stop playing");
    for (let i = 0; i < 6; ++i) await press(page, "+");
    assert.equal(await page.locator(".speed span").textContent(), "32 / s");
    if (await page.locator(".bar.playing").isVisible()) await expectControls(page, ".btns", size);
    await played(page);
    assert.equal(await page.locator('[data-action="play"]').getAttribute("aria-label"), "Play");
    assert.equal(await shownStep(page), step.parts(1));
    assert.match(await message(page), /Stopped at line 8/);
    await heard(page, "^Line 8, main");
    for (let i = 0; i < 6; ++i) await press(page, "-");
    assert.equal(await page.locator(".speed span").textContent(), "0.5 / s");
  }
});

onBoth("playing ends when it is stopped, when the reader steps, and at the last step", async (page) => {
  for (let i = 0; i < 6; ++i) await press(page, "-");
  await press(page, "s");
  assert.ok(await page.locator(".bar.playing").isVisible());
  await click(page, "play");
  assert.equal(await page.locator(".bar.playing").count(), 0);
  for (let i = 0; i < 6; ++i) await press(page, "+");
  await goTo(page, step.parts(4));
  await press(page, "s");
  await page.keyboard.press("<");
  await played(page);
  await page.waitForTimeout(150);
  const here = await shownStep(page);
  assert.ok(here < step.parts(3), `it stays where the reader went: ${here}`);
  await goTo(page, step.end - 2);
  await press(page, "s");
  await played(page);
  assert.equal(await shownStep(page), step.end);
  assert.match(await message(page), /last step/);
  assert.equal(await page.evaluate(() => document.getAnimations().length), 0, "nothing moves for who asked for no motion");
});
