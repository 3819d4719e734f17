// From page to page: series and tags, the lectures before and after, without JavaScript too.

import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { bothOrigins, colours, onOneLecture, setTheme, site, violations } from "./support.mjs";

/** The pages of groups, and that for missing ones. */
const others = ["series", "categories", "tags"]
  .filter((folder) => existsSync(join(site, folder)))
  .map((folder) => `${folder}/${readdirSync(join(site, folder))[0]}`)
  .concat("404.html");

/** What the lectures of a list are called, in its order. */
const titles = (page) => page.locator("ol.lectures :is(h2, h3)").allTextContents();

onOneLecture("a reader goes from lecture to lecture and back", async (open) => {
  for (const script of [true, false]) {
    const page = await open({ path: "index.html", script });
    // In one series, if there is one.
    const series = page.locator('section[aria-labelledby="series"] a').first();
    const inSeries = (await series.count()) > 0;
    if (inSeries) {
      await series.click();
      await page.waitForSelector("body.group");
    }
    const names = await titles(page);
    assert.ok(names.length > 1, "there is one to go to");
    await page.locator("ol.lectures :is(h2, h3) a").first().click();
    assert.equal(await page.locator("a.previous").count(), 0, "the first has none before it");
    for (const name of names.slice(1)) {
      await page.click("a.next");
      assert.equal(await page.textContent("h1"), name);
    }
    assert.equal(await page.locator("a.next").count(), 0, "the last has none after it");
    await page.click("a.previous");
    assert.equal(await page.textContent("h1"), names.at(-2));
    if (inSeries) {
      await page.click('nav[aria-label="Breadcrumbs"] a');
      await page.waitForSelector("body.group");
      assert.deepEqual(await titles(page), names);
    }
    assert.deepEqual(page.requests.filter((url) => !url.startsWith("data:") && new URL(url).origin !== new URL(page.url()).origin), []);
    assert.deepEqual(page.complaints, []);
  }
}, { from: bothOrigins });

onOneLecture("a tag of a lecture leads to the lectures that have it", async (open) => {
  const page = await open();
  const title = await page.textContent("h1");
  const tag = await page.locator(".title .tag").first().textContent();
  await page.locator(".title .tag").first().click();
  assert.equal(await page.textContent("h1"), tag);
  await page.click(`ol.lectures a:text-is(${JSON.stringify(title)})`);
  assert.equal(await page.textContent("h1"), title);
});

onOneLecture("axe finds nothing to object to on these pages, and nothing is wider than the window", async (open) => {
  for (const where of ["index.html", ...others]) {
    const page = await open({ path: where });
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 });
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${where} at ${width}`);
      assert.deepEqual(await violations(page), [], `${where} at ${width}`);
    }
    await setTheme(page, "dark");
    assert.deepEqual(await violations(page, "html", colours), [], `${where}, dark`);
  }
});
