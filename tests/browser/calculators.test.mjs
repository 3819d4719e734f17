import assert from "node:assert/strict";
import { bothOrigins, colours, lectures, onEachLecture, onOneLecture, reload, setTheme, violations } from "./support.mjs";

const having = lectures.filter(({ html }) => html.includes('<div class="calculator"'));
const forms = (page) => page.locator(".calculator");
const result = (form) => form.locator(".result");
const problems = (form) => form.locator(".problem:visible").allTextContents();

/** Waits until a calculator shows something else than before. */
async function changes(form, act) {
  const before = await result(form).innerHTML();
  await act();
  await form.page().waitForFunction(([element, old]) => element.innerHTML !== old, [await result(form).elementHandle(), before]);
}

/** Without the buttons that its blocks have once the page is idle. */
const shownBy = (form) =>
  result(form).evaluate((element) => {
    const copy = element.cloneNode(true);
    for (const tool of copy.querySelectorAll(".block-tool")) tool.remove();
    return copy.innerHTML;
  });

onEachLecture("what a page calculates anew is what the lecture's run gave, to the letter", async (open) => {
  const page = await open();
  const count = await forms(page).count();
  for (let i = 0; i < count; ++i) {
    const form = forms(page).nth(i);
    const before = await shownBy(form);
    assert.ok(before.length > 100);
    await result(form).evaluate((element) => element.replaceChildren("…"));
    await form.evaluate((element) => element.dispatchEvent(new Event("input", { bubbles: true })));
    await page.waitForFunction((element) => element.textContent !== "…", await result(form).elementHandle());
    assert.equal(await shownBy(form), before, await form.getAttribute("data-function"));
    const tables = await result(form).locator(".scroll:has(> table)").count();
    assert.equal(await result(form).locator(".block-tool.copies").count(), tables, "each new table can be copied");
    assert.deepEqual(await problems(form), []);
  }
  assert.deepEqual(page.complaints, []);
  assert.deepEqual(await page.evaluate(() => [window.violations, window.shifts]), [[], []]);
}, { among: having });

onOneLecture("fields, sliders and examples change the result, and the address keeps them", async (open) => {
  const page = await open();
  const form = page.locator('.calculator[data-function="training_time"]');
  const field = (name) => form.locator(`[name="${name}"]`);
  const time = () => form.locator(".quantities dd").nth(2).textContent();
  const was = await time();
  await changes(form, () => field("gpus").fill("2,048"));
  assert.notEqual(await time(), was);
  await changes(form, () => form.getByRole("button", { name: "GPT-3 on A100s" }).click());
  assert.equal(await field("parameters").inputValue(), "175B");
  assert.equal(await field("gpus").inputValue(), "1024", "what an example does not name is as at first");
  const slider = form.locator('input[type="range"]').first();
  await slider.focus();
  await changes(form, () => page.keyboard.press("ArrowRight"));
  assert.match(await field("parameters").inputValue(), /^1(7[6-9]|8\d)B$/);
  assert.equal(await slider.getAttribute("aria-valuetext"), await field("parameters").inputValue());
  const [kept, shown] = [await field("parameters").inputValue(), await time()];
  await page.waitForFunction((value) => new URLSearchParams(location.search).get("training_time")?.startsWith(`${value}~`), kept);
  await reload(page);
  await page.waitForFunction(([name, text]) => document.querySelector(name).textContent === text, ['.calculator[data-function="training_time"] .quantities > :nth-child(3) > dd', shown]);
  assert.equal(await field("parameters").inputValue(), kept);
  // Presenting has a place in the address, too.
  await page.locator("main").focus();
  await page.keyboard.press("P");
  await page.waitForFunction(() => /\bpresent\b/.test(location.search) && location.search.includes("training_time"));
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !/\bpresent\b/.test(location.search) && location.search.includes("training_time"));
  assert.deepEqual(page.complaints, []);
}, { among: having.filter(({ html }) => html.includes("training_time")), from: bothOrigins });

onOneLecture("what is wrong with an input stands beside it, and the last result stays", async (open) => {
  const page = await open({ width: 390, height: 780 });
  const form = page.locator('.calculator[data-function="training_time"]');
  const field = form.locator('[name="tokens"]');
  const before = await result(form).innerHTML();
  for (const [typed, said] of [
    ["", /^enter a number/i],
    ["many", /^enter a number, like/i],
    ["-5", /^must lie between/i],
    ["1e30", /^must lie between/i],
    ["1e999", /^too large/i],
    ["1,5", /^commas stand/i],
  ]) {
    await field.fill(typed);
    await page.waitForFunction(([element, source]) => new RegExp(source, "i").test(element.textContent), [await form.locator('[name="tokens"] ~ .problem').elementHandle(), said.source]);
    assert.equal((await problems(form)).length, 1, typed);
    assert.equal(await field.getAttribute("aria-invalid"), "true");
    assert.equal(await result(form).innerHTML(), before);
  }
  await field.fill("15T");
  await page.waitForFunction((element) => !element.classList.contains("outdated"), await result(form).elementHandle());
  assert.deepEqual(await problems(form), []);
  assert.equal(await field.getAttribute("aria-invalid"), null);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0, "nothing scrolls sideways");
  assert.deepEqual(page.complaints, []);
}, { among: having.filter(({ html }) => html.includes("training_time")) });

onOneLecture("inputs at the borders of numbers give a result, and a calculator that broke calculates again", async (open) => {
  const breakFirst = (page) => page.addInitScript(() => {
    const instantiate = WebAssembly.instantiate;
    let broken = false;
    WebAssembly.instantiate = async (...given) => {
      const { exports } = await instantiate(...given);
      if (broken) return { exports };
      return { exports: { ...exports, training_time: () => { broken = true; throw new WebAssembly.RuntimeError("unreachable"); } } };
    };
  });
  const page = await open({ prepare: breakFirst });
  const form = page.locator('.calculator[data-function="training_time"]');
  const mfu = form.locator('[name="mfu"]');
  await mfu.fill("0.3");
  await page.waitForFunction((element) => /does not run here/.test(element.textContent), await form.elementHandle());
  await changes(form, () => mfu.fill("0.2"));
  assert.deepEqual(await problems(form), []);
  await changes(form, () => mfu.fill("1e-308"));
  assert.deepEqual(await problems(form), []);
}, { among: having.filter(({ html }) => html.includes("training_time")) });

onOneLecture("an address with a choice that there is not leaves the choice as it was", async (open) => {
  const page = await open();
  const form = page.locator('.calculator[data-function="training_time"]');
  const chosen = await form.locator('[name="gpu"]').inputValue();
  await page.goto(`${page.url().replace(/[?#].*/, "")}?training_time=12K~300B~8~TPU~0.4`);
  await page.waitForFunction((element) => element.querySelector('[name="parameters"]').value === "12K", await form.elementHandle());
  assert.equal(await form.locator('[name="gpu"]').inputValue(), chosen);
  const slider = form.locator('input[type="range"]').nth(1);
  await form.locator('[name="tokens"]').fill("300000000K");
  assert.equal(Number(await slider.inputValue()), await slider.evaluate((element) => Math.round((1000 * Math.log(300)) / Math.log(element.dataset.max / element.dataset.min))));
  assert.deepEqual(await problems(form), []);
}, { among: having.filter(({ html }) => html.includes("training_time")) });

onOneLecture("axe has nothing against calculators, on a phone and in both themes", async (open) => {
  const page = await open({ width: 390, height: 780 });
  assert.deepEqual(await violations(page, ".calculator"), []);
  await setTheme(page, "dark");
  assert.deepEqual(await violations(page, ".calculator", colours), []);
}, { among: having });

onOneLecture("without a script the page shows what was calculated, and nothing can be typed", async (open) => {
  const page = await open({ script: false });
  const form = forms(page).first();
  assert.equal(await form.locator("fieldset[disabled]").count(), 1);
  assert.equal(await form.locator("input[type=range]:visible, .presets:visible").count(), 0);
  assert.ok((await result(form).textContent()).length > 20);
}, { among: having });

onOneLecture("a module that is not there, or is none, is told of beside the fields", async (open) => {
  for (const body of [undefined, 'lecternModule("x", "AAAA");', "lecternModule(document.currentScript.src.replace(/^.*calculators.|.js$/g, ''), 'AGFzbQ==');"]) {
    const prepare = (page) => page.route("**/calculators/**", (route) => (body === undefined ? route.abort() : route.fulfill({ body, contentType: "text/javascript" })));
    const page = await open({ prepare });
    const form = forms(page).first();
    const before = await shownBy(form);
    await form.evaluate((element) => element.dispatchEvent(new Event("input", { bubbles: true })));
    await page.waitForFunction((element) => /does not run here/.test(element.textContent), await form.elementHandle());
    assert.equal(await result(form).innerHTML(), before);
  }
}, { among: having });
