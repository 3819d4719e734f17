// Guessing what a line gives.

import assert from "node:assert/strict";
import { test } from "node:test";
import { click, expectControls, heard, onBoth, played, step, url, variable, wide } from "./loop_lecture.mjs";
import { goTo, openPage, press, shownStep } from "./support.mjs";

onBoth("what a line gives is hidden until it is guessed, and the score is kept", async (page, size) => {
  await goTo(page, step.end - 1);
  await press(page, "q");
  await press(page, "ArrowRight");
  for (const name of ["name", "total"]) {
    assert.equal(await variable(page, name).locator(".value").isVisible(), false, name);
    assert.equal(await variable(page, name).locator(".ty").isVisible(), false, name);
    assert.equal(await page.locator(`.chip.on[data-name="${name}"] i`).isVisible(), false, `${name}'s badge`);
  }
  assert.ok(await variable(page, "loss").locator(".value").isVisible(), "what earlier lines gave is there");
  await heard(page, "name is yours to guess; total is yours to guess");
  await expectControls(page, ".guess", size);
  await press(page, "i");
  await page.keyboard.type("abc");
  await press(page, "Enter");
  await heard(page, '^Right: name is "abc"\\. Guesses: 1 of 1 right');
  assert.ok(await variable(page, "name").locator(".value").isVisible());
  assert.match(await variable(page, "name").textContent(), /✓ as you guessed/);
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), "Your guess: total after this step");
  await page.keyboard.type("12");
  await page.getByRole("button", { name: "Check" }).click();
  assert.match(await variable(page, "total").textContent(), /✗ you guessed 12/);
  assert.ok(await page.locator('.chip.on[data-name="total"] i').isVisible());
  assert.equal(await page.locator(".score").textContent(), "Guesses: 1 of 2 right");
  await press(page, "ArrowLeft");
  await page.locator(".guess").first().getByRole("button", { name: "Show" }).click();
  assert.equal(await page.locator(".score").textContent(), "Guesses: 1 of 2 right", "who looks has not guessed");
  await press(page, "ArrowRight");
  assert.equal(await page.locator(".guess").count(), 0, "what was guessed stays so");
  await click(page, "predict");
  await goTo(page, step.parts(0));
  assert.equal(await page.locator(".covered").count(), 0);
  await press(page, "q");
  assert.equal(await page.locator(".score").textContent(), "Guesses: 1 of 2 right");
});

onBoth("neither passes nor histories tell what is to be guessed, and playing waits for it", async (page) => {
  await press(page, "q");
  await goTo(page, step.begin(1));
  await press(page, "p");
  const entries = await page.locator("dialog.sheet .of").allTextContents();
  assert.deepEqual(entries.slice(0, 2), ["loss 8 · i 0", "not reached yet"]);
  await page.keyboard.press("Escape");
  await goTo(page, step.after(1));
  await press(page, "v");
  assert.deepEqual(await page.locator(".history .of").allTextContents(), ["8"]);
  await press(page, "i");
  await page.keyboard.type("4");
  await press(page, "Enter");
  await page.keyboard.type("1.00");
  await press(page, "Enter");
  assert.equal(await page.locator(".score").textContent(), "Guesses: 2 of 2 right");
  assert.deepEqual(await page.locator(".history .of").allTextContents(), ["8", "4"]);
  for (let i = 0; i < 6; ++i) await press(page, "+");
  await press(page, "s");
  await played(page);
  assert.equal(await shownStep(page), step.parts(1));
});

test("a guess may be written in other ways", async () => {
  const { buildSync } = await import(new URL("../../site_templates/node_modules/esbuild/lib/main.js", import.meta.url)).then((each) => each.default);
  const made = buildSync({ entryPoints: [new URL("../../site_templates/src/guess.ts", import.meta.url).pathname], bundle: true, format: "esm", write: false });
  const { isRight } = await import(`data:text/javascript;base64,${Buffer.from(made.outputFiles[0].text).toString("base64")}`);
  const right = [
    ["1", "double", "1.0"], ["1.0", "int", "1"], ["1e3", "double", "1,000.0"], ["1330787", "size_t", "1,330,787"], ["1,330,787", "size_t", "1,330,787"],
    ["-2", "int", "−2"], ["0.818", "double", "0.8177647376046978"], ["2x3", "float32 [2, 3]", "float32 [2, 3]"], ["(2,3)", "float32 [2, 3]", "float32 [2, 3]"],
    ["[2, 3]", "float32 [2, 3]", "float32 [2, 3]"], ["float32[2,3]", "float32 [2, 3]", "float32 [2, 3]"], ["1 2", "float32 [2]", "float32 [2]: 1.0, 2.0"],
    ["2", "float32 [2]", "float32 [2]: 1.0, 2.0"], ["[907,322]", "vector<int>", "[907, 322]"], ["[1205,907,322]", "vector<int>", "[1205, 907, 322]"],
    ["1 2", "vector<int>", "[1, 2]"], ["abc", "string", '"abc"'], ['"abc"', "string", '"abc"'], ["True", "bool", "true"], ["[]", "vector<int>", "[]"],
    ["9223372036854775807", "long", "9,223,372,036,854,775,807"], ["NaN", "double", "nan"], ["Inf", "double", "inf"], ["−inf", "double", "-inf"],
  ];
  const wrong = [
    ["", "int", "0"], ["2", "double", "1.0"], ["0.81", "double", "0.8177647376046978"], ["0.817", "double", "0.8177647376046978"], ["3x2", "float32 [2, 3]", "float32 [2, 3]"],
    ["int64 [2, 3]", "float32 [2, 3]", "float32 [2, 3]"], ["907322", "vector<int>", "[907, 322]"], ["ABC", "string", '"abc"'], ["1 2 3", "vector<int>", "[1, 2]"],
    ["9223372036854775806", "long", "9,223,372,036,854,775,807"], ["x", "int", "1"],
  ];
  for (const [guess, type, text] of right) assert.ok(isRight(guess, { type, text }), `${guess} for ${text}`);
  for (const [guess, type, text] of wrong) assert.ok(!isRight(guess, { type, text }), `${guess} for ${text}`);
});

test("on paper there are all values, guessed or not, and no breakpoints", async () => {
  const page = await openPage(url, wide);
  await press(page, "q");
  await goTo(page, step.parts(1));
  await press(page, "b");
  const badge = page.locator('.chip.on[data-name="parts"] i');
  assert.equal(await badge.isVisible(), false);
  await page.emulateMedia({ media: "print" });
  assert.ok(await badge.isVisible());
  const ground = await page.$eval("#s0-8 > .n", (number) => getComputedStyle(number).backgroundColor);
  assert.equal(ground, "rgba(0, 0, 0, 0)");
  await page.context().close();
});
