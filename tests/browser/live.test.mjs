// `lectern serve --watch`: what went wrong is shown over the page, with the way back.

import assert from "node:assert/strict";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { axeSource, lectures, openPage, site, startServer, temporaryFolder } from "./support.mjs";

const work = temporaryFolder("live");
const lecture = lectures[0];
cpSync(site, join(work, "site"), { recursive: true });
const source = join(work, "broken.cpp");
writeFileSync(source, "int main() {}\n");
// Where it is served there is nothing to build with, so that every build fails.
const served = startServer(work, ["--watch", source]);

for (const [width, theme] of [[1280, "light"], [390, "dark"]]) {
  test(`problems are shown over the page, which is a key away (${width}, ${theme})`, async () => {
    const page = await openPage(new URL(`${lecture.name}/`, await served).href, { width, theme }, lecture);
    const dialog = page.getByRole("dialog", { name: "The newest version failed" });
    await dialog.waitFor();
    assert.match(await dialog.innerText(), /broken\.cpp: its project cannot be configured/);
    const { width: wide } = await dialog.boundingBox();
    assert.ok(wide <= width);
    await page.evaluate(axeSource);
    const found = await page.evaluate(() => axe.run("dialog"));
    assert.deepEqual(found.violations.map(({ id, nodes }) => [id, nodes[0].html]), []);

    const step = new URL(page.url()).hash;
    await page.keyboard.press("ArrowRight");
    assert.equal(new URL(page.url()).hash, step, "the page's keys are not for the dialog");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    const again = page.getByRole("button", { name: "The newest version failed: show why" });
    await again.click();
    await dialog.waitFor();
    await page.getByRole("button", { name: "Back to the page" }).click();
    await dialog.waitFor({ state: "hidden" });
    assert.deepEqual(page.complaints, []);
    assert.deepEqual(await page.evaluate(() => window.violations), []);

    writeFileSync(join(work, "site/index.html"), `made anew ${width}`);
    writeFileSync(source, `int main() { return ${width}; }\n`);
    await page.waitForEvent("load");
    await dialog.waitFor();
    await page.context().close();
  });
}

test("a browser that has many pages of the site open loads one more, and all of them hear of a build", async () => {
  const url = new URL(`${lecture.name}/`, await served).href;
  const first = await openPage(url, { width: 1280 }, lecture);
  const pages = [first];
  for (let i = 0; i < 8; ++i) {
    const page = await first.context().newPage();
    await page.goto(url, { timeout: 20_000 });
    pages.push(page);
  }
  const dialog = (page) => page.getByRole("dialog", { name: "The newest version failed" });
  for (const page of pages) await dialog(page).waitFor();
  const reloaded = Promise.all(pages.map((page) => page.waitForEvent("load")));
  writeFileSync(join(work, "site/index.html"), "made anew for many");
  writeFileSync(source, "int main() { return 9; }\n");
  await reloaded;
  for (const page of pages) await dialog(page).waitFor();
  await first.context().close();
});
