// A range of steps in an iframe of another page.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { message, onOneLecture, openPage, press, setTheme, site, temporaryFolder, violations } from "./support.mjs";

const folder = temporaryFolder("embedding");

/** A page around an iframe with this code: what a course's page elsewhere has. */
async function around(code, options = {}) {
  const file = join(folder, "around.html");
  writeFileSync(file, `<!doctype html><html lang="en"><title>Elsewhere</title><main style="margin: 0"><h1>Elsewhere</h1>${code}</main></html>`);
  const page = await openPage(pathToFileURL(file).href, options);
  const frame = await (await page.locator("iframe").elementHandle()).contentFrame();
  if (options.script !== false) await frame.waitForFunction(() => document.documentElement.matches(".ready, .still"));
  return { page, frame };
}

/** The code that the page copies at this step, with another one marked. */
async function copiedCode(page, first, last) {
  await page.evaluate(() => {
    window.copied = undefined;
    Object.defineProperty(navigator, "clipboard", { configurable: true, value: { writeText: async (text) => void (window.copied = text) } });
  });
  if (first !== undefined) {
    await page.evaluate((step) => (location.hash = `#step=${step + 1}`), first);
    await page.waitForFunction((step) => document.querySelector("#where b").textContent.startsWith(`step ${step + 1} of`), first);
    await press(page, "m");
  }
  await page.evaluate((step) => (location.hash = `#step=${step + 1}`), last);
  await page.waitForFunction((step) => document.querySelector("#where b").textContent.startsWith(`step ${step + 1} of`), last);
  await press(page, "Y");
  await page.waitForFunction(() => window.copied !== undefined);
  return page.evaluate(() => window.copied);
}

const count = (frame) => frame.locator(".excerpt-count").textContent();
const absolute = (code, page) => code.replace('src="', `src="${new URL("..", page.url()).href}`);

for (const width of [800, 390]) {
  onOneLecture(`an iframe shows the range alone, and steps within it, ${width} pixels wide`, async (open) => {
    const page = await open();
    const code = absolute(await copiedCode(page, 4, 8), page);
    assert.match(await message(page), /^Copied the code that shows steps 5 to 9 /);
    assert.match(code, /^<iframe src="[^"<>]+\/index\.html\?embed=[^"<>]+\.\.[^"<>]+#[^"<>]+" title="[^"]+" loading="lazy" width="100%" height="\d+" style="border: 0"><\/iframe>$/);
    const { page: outer, frame } = await around(code, { width, height: 700 });
    assert.equal(await count(frame), "1 of 5");
    const entries = await outer.evaluate(() => history.length);
    // The rows of these steps' statements are there, what surrounds them is not.
    for (const selector of [".top", ".out", ".tl", "#where", ".title h1", "details.costs", ".stack"]) assert.equal(await frame.locator(`${selector}:visible`).count(), 0, selector);
    const [here, all] = [await frame.locator(".row:visible").count(), await page.locator(".row:visible").count()];
    assert.ok(here > 0 && here < all / 2, `${here} rows of ${all}`);
    const buttons = frame.locator(".bar button:visible");
    assert.deepEqual(await buttons.evaluateAll((list) => list.map((each) => each.dataset.action)), ["back", "step"]);
    await buttons.nth(0).click();
    assert.match(await frame.locator("#message").textContent(), /^This excerpt begins here/);
    for (let at = 2; at <= 5; ++at) {
      await buttons.nth(1).click();
      await frame.waitForFunction((text) => document.querySelector(".excerpt-count").textContent === text, `${at} of 5`);
      assert.ok((await frame.locator('.row[aria-current="step"]:visible').count()) > 0, "the step's row is there");
    }
    await buttons.nth(1).click();
    assert.match(await frame.locator("#message").textContent(), /^This excerpt ends here/);
    assert.equal(await count(frame), "5 of 5");
    for (const key of ["r", "P", "f", "?", "o"]) await frame.locator("main").press(key);
    assert.equal(await frame.locator("dialog[open], .presenting, [data-raw=on]").count(), 0, "it has no other views");
    await frame.locator("main").press("Home");
    const link = await frame.locator(".excerpt-link").getAttribute("href");
    assert.match(link, /index\.html#step=.+@9$/);
    assert.equal(await frame.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0, "nothing scrolls sideways");
    assert.equal(await outer.evaluate(() => history.length), entries, "stepping leaves the history of the page around it alone");
    assert.deepEqual(outer.complaints, []);
    assert.equal(await outer.evaluate(() => document.scripts.length), 0, "no script outside");
    const alone = await openPage(frame.url(), { width, height: 700 });
    await outer.context().close();
    assert.deepEqual(await violations(alone), []);
    await setTheme(alone, "dark");
    assert.deepEqual(await violations(alone), []);
    await alone.context().close();
  });
}

onOneLecture("without a mark, the code is for the section", async (open) => {
  const page = await open();
  const code = await copiedCode(page, undefined, 6);
  const title = await page.textContent("h1");
  const { frame, page: outer } = await around(absolute(code, page));
  assert.ok(code.includes(`title="${title.replace(/[&"<>]/g, (char) => `&#${char.charCodeAt(0)};`)}`), code);
  assert.match(await count(frame), /^1 of \d/);
  assert.match(await message(page), /this section/);
  await outer.context().close();
});

onOneLecture("a served page gives its address, and may be framed", async (open) => {
  const page = await open();
  const code = await copiedCode(page, 2, 5);
  assert.ok(code.startsWith(`<iframe src="${new URL(page.url()).origin}/`), code);
  const { frame, page: outer } = await around(code);
  assert.equal(await count(frame), "1 of 4");
  assert.deepEqual(outer.complaints, []);
  await outer.context().close();
}, { from: ["served"] });

onOneLecture("without JavaScript the iframe shows the page, at the place", async (open) => {
  const page = await open();
  const code = absolute(await copiedCode(page, 4, 8), page);
  const { frame, page: outer } = await around(code, { script: false });
  await frame.locator(`[id="${/#([^"]+)"/.exec(code)[1]}"]`).waitFor({ state: "attached" });
  assert.ok(await frame.locator("main").isVisible());
  assert.deepEqual(outer.complaints, []);
  await outer.context().close();
});

onOneLecture("a range that is gone shows the whole lecture and says so", async (open, { name }) => {
  const url = pathToFileURL(join(site, name, "index.html")).href;
  for (const range of ["nothing", "nowhere/1.1..nowhere/2.1", "..", "1..999999999", "1..2..3", "%3Cscript%3E..2"]) {
    const page = await openPage(`${url}?embed=${range}`);
    assert.match(await message(page), /not in this version of the lecture/, range);
    assert.ok(await page.isVisible(".top"));
    assert.deepEqual(page.complaints, []);
    await page.context().close();
  }
  const page = await openPage(`${url}?embed=9..5`);
  assert.equal(await page.locator(".excerpt-count").textContent(), "1 of 5", "ends may come in either order");
  await page.context().close();
});
