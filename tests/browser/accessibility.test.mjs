// What axe finds. It looks at every part of a page, for seconds: at each lecture once in every look that may differ, and
// at what all lectures share once.

import assert from "node:assert/strict";
import { axeSource, goTo, lectures, onEachLecture, onOneLecture, press, setTheme } from "./support.mjs";

/** The rules that another theme can break. */
const colours = { runOnly: ["color-contrast", "link-in-text-block"] };
/** The rules that another width can break. */
const allButContrast = { rules: { "color-contrast": { enabled: false } } };

async function expectNoViolations(page, what, options = {}, part = "html") {
  await page.evaluate(axeSource);
  const found = await page.evaluate(([selector, more]) => axe.run(selector, { resultTypes: ["violations"], ...more }), [part, options]);
  const told = found.violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ html, any }) => `${html.slice(0, 160)} ${any[0]?.message ?? ""}`).join(" | ")}`);
  assert.deepEqual(told, [], what);
}

async function openWithNotes(open, lecture) {
  const page = await open();
  await goTo(page, Number(Object.keys(lecture.data.vars).at(-1) ?? 0));
  await press(page, "n");
  return page;
}

const wide = { width: 1280, height: 860 };
const narrow = { width: 390, height: 780 };

onEachLecture("axe finds nothing to object to", async (open, lecture) => {
  const page = await openWithNotes(open, lecture);
  await expectNoViolations(page, "light");
  await page.setViewportSize(narrow);
  await expectNoViolations(page, "on a phone", allButContrast);
  await page.setViewportSize(wide);
  await setTheme(page, "dark");
  await expectNoViolations(page, "dark", colours);
  await setTheme(page, "light");
  await press(page, "r");
  await expectNoViolations(page, "raw view");
});

onOneLecture("nor to the colours of raw view in the dark, and of a phone", async (open, lecture) => {
  const page = await openWithNotes(open, lecture);
  await press(page, "r");
  await setTheme(page, "dark");
  await expectNoViolations(page, "raw view", colours);
  await press(page, "r");
  await page.setViewportSize(narrow);
  await expectNoViolations(page, "on a phone, dark", colours);
  await setTheme(page, "light");
  await expectNoViolations(page, "on a phone, light", colours);
});

onOneLecture("nor to what the run cost", async (open) => {
  const page = await open();
  await press(page, "f");
  await page.waitForSelector(".row > .cost", { state: "attached" });
  await page.evaluate(() => (document.querySelector("details.costs").open = true));
  await expectNoViolations(page, "light");
  await page.setViewportSize(narrow);
  for (const part of ["details.costs", ".top", ".env", ".bar"]) await expectNoViolations(page, `${part} on a phone`, {}, part);
  await page.setViewportSize(wide);
  await setTheme(page, "dark");
  await expectNoViolations(page, "dark", colours);
}, { among: lectures.filter(({ html }) => html.includes('class="costs"')) });

onOneLecture("nor to the list of keys", async (open) => {
  const page = await open();
  await press(page, "?");
  for (const theme of ["light", "dark"]) {
    await setTheme(page, theme);
    await expectNoViolations(page, theme, {}, "dialog.help"); // over a page that cannot be reached
  }
});

onOneLecture("nor to the home page", async (open) => {
  const home = await open({ path: "index.html" });
  for (const theme of ["light", "dark"]) {
    await setTheme(home, theme);
    await expectNoViolations(home, theme);
  }
});
