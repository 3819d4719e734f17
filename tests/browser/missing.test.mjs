// A page whose files did not come, or only in part, says which, and goes on with what it has.

import assert from "node:assert/strict";
import { bothOrigins, lectures, onOneLecture, press, shownStep } from "./support.mjs";

const costed = lectures.filter(({ html }) => html.includes(" data-costed"));
const ranked = lectures.filter(({ html }) => html.includes(" data-ranks"));

/** Aborted, cut, and a page that says that there is none. */
const failures = {
  missing: (route) => route.abort(),
  "half of it": (route) => route.fulfill({ body: "(() => {" }),
  "something else": (route) => route.fulfill({ body: "<!doctype html><h1>404</h1>" }),
};

for (const [name, fail] of Object.entries(failures)) {
  onOneLecture(`without the page's script, ${name}, it is a page without scripts, which says so`, async (open) => {
    const page = await open({ prepare: (it) => it.route("**/viewer.js", fail) });
    assert.match(await page.locator("#message").textContent(), /viewer\.js/);
    assert.deepEqual(await page.$$eval(".tools, .env, .bar, #message button", (all) => all.filter((each) => each.checkVisibility()).map(({ className }) => className)), []);
    assert.ok(await page.locator("h1").isVisible());
    assert.equal(await page.locator("main").evaluate((main) => main.getBoundingClientRect().right), 1280, "no room is kept for the state");
  });

  for (const [file, among] of [["costs.js", costed], ["ranks.js", ranked]]) {
    onOneLecture(`${file}, ${name}, is missed aloud`, async (open) => {
      const page = await open({ prepare: (it) => it.route(`**/${file}`, fail) });
      await page.locator("#message p", { hasText: `${file}, beside this page, could not be loaded` }).waitFor();
      await press(page, "ArrowRight");
      assert.equal(await shownStep(page), 1);
      assert.equal(await page.locator("#message").isVisible(), false);
    }, { among });
  }
}

onOneLecture("a page that has all its files misses none", async (open) => {
  const page = await open();
  await press(page, "ArrowRight");
  assert.equal(await page.locator("#message").isVisible(), false);
}, { from: bothOrigins });
