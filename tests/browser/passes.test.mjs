// The passes of a line, the history of a variable, what changed, what differs from a marked step.

import assert from "node:assert/strict";
import { click, expectControls, heard, onBoth, onPhone, passes, step, variable } from "./loop_lecture.mjs";
import { drawn, goTo, message, press, shownStep } from "./support.mjs";

// --- passes ------------------------------------------------------------------------------------------------------------

onBoth("first, last, next and previous pass, by key and by button", async (page, size) => {
  for (const [last, first, before, again] of [
    [() => press(page, ">"), () => press(page, "<"), () => press(page, ","), () => press(page, ".")],
    ["last-pass", "first-pass", "before", "again"].map((action) => () => click(page, action)),
  ]) {
    await goTo(page, step.parts(2));
    await last();
    assert.equal(await shownStep(page), step.parts(passes - 1));
    await first();
    assert.equal(await shownStep(page), step.parts(0));
    await again();
    assert.equal(await shownStep(page), step.parts(1));
    await before();
    assert.equal(await shownStep(page), step.parts(0));
    await first();
    assert.match(await message(page), /This is the first pass of this line/);
  }
  await expectControls(page, ".this-line", size);
});

onPhone("after a call, the pass before is not the one whose call returned", async (page) => {
  await goTo(page, step.after(3));
  assert.equal(await page.locator('[data-action="passes"]').textContent(), `4 of ${passes}`);
  await press(page, ",");
  assert.equal(await shownStep(page), step.begin(2));
});

onPhone("a line that ran once has no passes to choose from, and says so", async (page) => {
  await goTo(page, step.end);
  assert.equal(await page.locator(".this-line .passes").isVisible(), false);
  await press(page, "<");
  assert.match(await message(page), /ran once/);
  assert.equal(await shownStep(page), step.end);
});

onBoth("the passes of a line are listed with the values of each, and lead there", async (page, size) => {
  await goTo(page, step.begin(1));
  for (const open of [() => press(page, "p"), () => click(page, "passes")]) {
    await open();
    const dialog = page.getByRole("dialog", { name: "Passes of line 7" });
    assert.ok(await dialog.isVisible());
    const entries = await dialog.locator("li").allTextContents();
    assert.deepEqual(entries, Array.from({ length: passes }, (_, i) => `pass ${i + 1} loss ${8 / 2 ** i} · i ${i}`));
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-current")), "true", "the current one has the focus");
    await expectControls(page, "dialog.sheet", size);
    await page.keyboard.press("Escape");
    assert.equal(await dialog.isVisible(), false);
    assert.equal(await shownStep(page), step.begin(1));
  }
  await press(page, "p");
  await press(page, "ArrowDown", 2);
  await press(page, "Enter");
  assert.equal(await shownStep(page), step.after(3), "where its values are");
  await press(page, "p");
  await page.locator("dialog.sheet li button").first().click();
  await drawn(page);
  assert.equal(await shownStep(page), step.after(0));
  await page.goBack();
  await drawn(page);
  assert.equal(await shownStep(page), step.after(3), "a pass that was picked has an entry in the history");
});

onPhone("passes in several calls say which call, those without values what holds there", async (page) => {
  await goTo(page, step.inside(1));
  await press(page, "p");
  const labels = await page.locator("dialog.sheet .at").allTextContents();
  assert.deepEqual(labels.slice(0, 2), ["call 1, pass 1", "call 2, pass 1"]);
  await page.keyboard.press("Escape");
  await goTo(page, step.header(2));
  await press(page, "p");
  assert.match(await page.locator("dialog.sheet li").nth(2).textContent(), /^pass 3 loss 4 · i 1 · parts \[7, 1, 9\]/);
});

// --- the history of a variable -----------------------------------------------------------------------------------------

onBoth("the name of a variable opens every value that it had", async (page, size) => {
  await goTo(page, step.after(2));
  const section = variable(page, "loss");
  await section.locator("button.b").click();
  assert.equal(await section.locator("button.b").getAttribute("aria-expanded"), "true");
  const values = await section.locator(".history .of").allTextContents();
  assert.deepEqual(values.map(Number), Array.from({ length: passes }, (_, i) => 8 / 2 ** i));
  assert.equal(await section.locator(".history li [aria-current]").textContent(), "line 7, pass 3 2");
  await expectControls(page, "#vars .history", size);
  await section.locator(".history li button").nth(4).click();
  await drawn(page);
  assert.equal(await shownStep(page), step.after(4));
  assert.equal(await variable(page, "loss").locator(".history li [aria-current]").textContent(), "line 7, pass 5 0.5", "it stays open, and follows");
  await variable(page, "loss").locator("button.b").click();
  assert.equal(await page.locator(".history").count(), 0);
});

onPhone("numbers and tensors of one element have a curve, which goes to the step of a point", async (page) => {
  await goTo(page, step.after(5));
  for (const name of ["loss", "i"]) {
    await variable(page, name).locator("button.b").click();
    const curve = variable(page, name).getByRole("img");
    assert.match(await curve.getAttribute("aria-label"), new RegExp(`^${name}: ${passes} values`));
    const points = (await curve.locator(".line").getAttribute("d")).slice(1).split("L").map((point) => point.split(",").map(Number));
    assert.equal(points.length, passes);
    assert.ok(points.every(([x], index) => index === 0 || x > points[index - 1][0]), "from left to right");
    const rises = points.every(([, y], index) => index === 0 || (name === "i" ? y < points[index - 1][1] : y > points[index - 1][1]));
    assert.ok(rises, `${name}: ${points}`);
    await variable(page, name).locator("button.b").click();
  }
  await variable(page, "loss").locator("button.b").click();
  const curve = variable(page, "loss").getByRole("img");
  await curve.scrollIntoViewIfNeeded();
  const box = await curve.boundingBox();
  await page.mouse.click(box.x + 4, box.y + box.height / 2);
  await drawn(page);
  assert.equal(await shownStep(page), step.after(0));
  await goTo(page, step.end);
  await variable(page, "parts").locator("button.b").click();
  assert.equal(await variable(page, "parts").getByRole("img").count(), 0, "a list has none");
  assert.equal(await variable(page, "parts").locator(".history li").count(), passes);
});

onPhone("by keys: the history opens, its entries are walked through, and it closes", async (page) => {
  await goTo(page, step.after(1));
  await press(page, "v");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "line 7, pass 2 4");
  await press(page, "ArrowDown");
  await press(page, "Enter");
  assert.equal(await shownStep(page), step.after(2));
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "line 7, pass 3 2", "the focus stays in the list");
  await press(page, "End");
  await press(page, "Enter");
  assert.equal(await shownStep(page), step.after(passes - 1));
  await press(page, "v");
  assert.equal(await page.locator(".history").count(), 0);
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "loss");
});

onPhone("a variable of a function has its values of all calls", async (page) => {
  await goTo(page, step.inside(3));
  await press(page, "v");
  const labels = await page.locator(".history li").allTextContents();
  assert.equal(labels.length, passes);
  assert.equal(labels[3], "call 4, line 2, pass 1 1");
  assert.match(await page.locator(".curve .line").getAttribute("d"), /^M[^M]+$/, "one line through one number of each call");
});

// --- what changed within a value ---------------------------------------------------------------------------------------

onPhone("what changed in a value is marked within it", async (page) => {
  await goTo(page, step.parts(3));
  const marked = (name) => variable(page, name).locator(".value .differs").allTextContents();
  assert.deepEqual(await marked("parts"), ["3"], "an element");
  assert.deepEqual(await marked("config"), ["3"], "a field");
  assert.equal((await marked("grid")).length, 1, "a cell");
  assert.equal(Number((await marked("grid"))[0]), 3);
  assert.equal(await variable(page, "parts").locator(".new").textContent(), "● changed in 1 place");
  await press(page, "ArrowRight");
  assert.equal(await page.locator(".differs").count(), 0, "a step later it is no change any more");
  await goTo(page, step.after(3));
  assert.deepEqual(await marked("loss"), [], "of a single number there is no within");
});

// --- a marked step -----------------------------------------------------------------------------------------------------

onBoth("a step is compared with a marked one, before or after it", async (page, size) => {
  for (const mark of [() => press(page, "m"), () => click(page, "mark")]) {
    await goTo(page, step.parts(1));
    await mark();
    await heard(page, `^Step ${step.parts(1) + 1} is marked`);
    assert.equal(await page.locator(".ticks .marked").isVisible(), true);
    const told = (name) => variable(page, name).locator(".new").textContent();
    for (const i of [4, 0]) {
      await goTo(page, step.parts(i));
      assert.equal(await page.locator("div.marked button").first().textContent(), `Compared with step ${step.parts(1) + 1}, line 8`);
      assert.equal(await told("loss"), "● was 4");
      assert.equal(await told("parts"), "● was [7, 1, 9]");
      assert.equal(await told("grid"), "● differs in 1 place");
      assert.deepEqual(await variable(page, "parts").locator(".differs").allTextContents(), [String(i)]);
    }
    await goTo(page, step.end);
    assert.equal(await told("name"), "● not at the mark");
    await goTo(page, step.parts(4) + 1);
    assert.equal(await told("loss"), "● was 4", "whatever changed last");
    await expectControls(page, ".where", size);
    await expectControls(page, "div.marked", size);
    await press(page, "Shift+M");
    assert.equal(await shownStep(page), step.parts(1));
    await mark();
    assert.equal(await page.locator(".marked:visible").count(), 0);
    await goTo(page, step.parts(2));
    assert.equal(await told("loss"), "", "compared with the step before again");
  }
  await press(page, "Shift+M");
  assert.match(await message(page), /No step is marked/);
});

onPhone("calls of one function are compared with each other", async (page) => {
  await goTo(page, step.inside(0));
  await press(page, "m");
  await goTo(page, step.inside(2));
  assert.equal(await variable(page, "y").locator(".new").textContent(), "● was 8");
});
