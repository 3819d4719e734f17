// What axe finds. It looks at every part of a page, for seconds: at each lecture once in every look that may differ, and
// at what all lectures share once. Given a part of a page it takes longer than with all of it.

import assert from "node:assert/strict";
import { onPhone } from "./loop_lecture.mjs";
import { colours, goTo, lectures, onEachLecture, onOneLecture, press, setTheme, violations } from "./support.mjs";

/** The rules that the content of a lecture can break in another width. */
const widths = { runOnly: ["scrollable-region-focusable"] };

async function expectNoViolations(page, what, options = {}, part = "html") {
  assert.deepEqual(await violations(page, part, options), [], what);
}

async function openWithNotes(open, lecture) {
  const page = await open();
  await goTo(page, Number(Object.keys(lecture.data.vars).at(-1) ?? 0));
  await press(page, "n");
  return page;
}

const wide = { width: 1280, height: 860 };
const narrow = { width: 360, height: 740 };

onEachLecture("axe finds nothing to object to", async (open, lecture) => {
  const page = await openWithNotes(open, lecture);
  await expectNoViolations(page, "light");
  await page.setViewportSize(narrow);
  await expectNoViolations(page, "on a phone", widths);
});

onOneLecture("nor to raw view, and to a phone", async (open, lecture) => {
  const page = await openWithNotes(open, lecture);
  await page.setViewportSize(narrow);
  await expectNoViolations(page, "on a phone");
  await setTheme(page, "dark");
  await expectNoViolations(page, "on a phone, dark", colours);
  await page.setViewportSize(wide);
  await press(page, "r");
  await expectNoViolations(page, "raw view, dark", colours);
  await setTheme(page, "light");
  await expectNoViolations(page, "raw view");
});

onOneLecture("nor to what the run cost", async (open) => {
  const page = await open();
  await press(page, "f");
  await page.waitForSelector(".row > .cost", { state: "attached" });
  await page.evaluate(() => (document.querySelector("details.costs").open = true));
  await expectNoViolations(page, "light");
  await page.setViewportSize(narrow);
  await expectNoViolations(page, "on a phone", widths);
  await page.setViewportSize(wide);
  await setTheme(page, "dark");
  await expectNoViolations(page, "dark", colours);
}, { among: lectures.filter(({ html }) => html.includes('class="costs"')) });

onPhone("nor to the list of keys", async (page) => {
  const preload = false; // it would ask for style sheets, and be refused
  await press(page, "?");
  await expectNoViolations(page, "light", { preload }, "dialog.help"); // over a page that cannot be reached
  await setTheme(page, "dark");
  await expectNoViolations(page, "dark", { preload, ...colours }, "dialog.help");
});

onOneLecture("nor to the home page", async (open) => {
  const home = await open({ path: "index.html" });
  await expectNoViolations(home, "light");
  await setTheme(home, "dark");
  await expectNoViolations(home, "dark", colours);
});
