import assert from "node:assert/strict";
import { drawn, goTo, onEachLecture, onOneLecture } from "./support.mjs";

/** Numbers of the values that are tensors with a storage, and that storage. */
const storages = (data) =>
  new Map(
    data.values.flatMap(([, , html], value) => {
      const found = /data-storage="(\d+)"/.exec(data.html[html]);
      return found ? [[value, found[1]]] : [];
    }),
  );

/** A step after which two inspected variables of one statement share a storage; undefined if there is none. */
function sharingStep(data) {
  const storageOf = storages(data);
  for (const [step, vars] of Object.entries(data.vars)) {
    const seen = vars.map(([, value]) => storageOf.get(value)).filter((storage) => storage !== undefined);
    if (new Set(seen).size < seen.length) return Number(step);
  }
  return undefined;
}

onOneLecture("variables that share a storage name each other and light up together", async (open, lecture, skip) => {
  const step = sharingStep(lecture.data);
  if (step === undefined) return skip("no statement inspects two tensors of one storage");
  const page = await open();
  await goTo(page, step);
  const shared = page.locator("#vars .storage.shared");
  assert.ok((await shared.count()) >= 2);
  const names = await page.locator("#vars .var:has(.storage.shared) .b").allTextContents();
  const text = await shared.first().textContent();
  assert.match(text, /^storage [A-Z]+, with /);
  assert.ok(names.some((name) => text.includes(name)), `${text} names one of ${names}`);
  const bars = await page.locator("#vars .var > header > .extent").evaluateAll((all) => all.map((bar) => [bar.title, bar.getBoundingClientRect().width]));
  assert.equal(bars.length, await shared.count(), "each has a bar");
  for (const [title, width] of bars) {
    assert.match(title, /^Bytes [\d,]+ to [\d,]+ of [\d,]+$/);
    assert.equal(width, bars[0][1], "of one length");
  }
  const joined = () => page.locator("#vars .storage.joined").count();
  assert.equal(await joined(), 0);
  await shared.first().hover();
  assert.ok((await joined()) >= 2, "by pointer");
  await page.mouse.move(0, 0);
  assert.equal(await joined(), 0);
  await shared.first().focus();
  assert.ok((await joined()) >= 2, "by keyboard");
  assert.deepEqual(page.complaints, []);
});

onOneLecture("shades are switched off and on again, for the next page too", async (open, lecture, skip) => {
  const step = Object.entries(lecture.data.vars).find(([, vars]) =>
    vars.some(([, value]) => lecture.data.html[lecture.data.values[value][2]].includes('class="legend"')),
  )?.[0];
  if (step === undefined) return skip("no tensor has shades");
  const page = await open();
  await goTo(page, Number(step));
  const colours = () =>
    page.$$eval("#vars .tensor td", (cells) => new Set(cells.map((cell) => getComputedStyle(cell).backgroundColor)).size);
  const shaded = await colours();
  assert.ok(shaded > 2);
  const legend = page.locator("#vars .legend").first();
  await legend.focus();
  await page.keyboard.press("Enter");
  await drawn(page);
  assert.ok((await colours()) < shaded);
  assert.equal(await page.evaluate(() => localStorage.getItem("lectern.shades")), "off");
  await legend.click();
  await drawn(page);
  assert.equal(await colours(), shaded);
});

onEachLecture("a tensor's numbers stay in their place on a phone", async (open, lecture, skip) => {
  const steps = Object.keys(lecture.data.vars).filter((step) =>
    lecture.data.vars[step].some(([, value]) => lecture.data.html[lecture.data.values[value][2]].includes('class="tensor"')),
  );
  if (steps.length === 0) return skip("no tensors");
  const page = await open({ width: 390, height: 844 });
  for (const step of steps.slice(0, 12)) {
    await goTo(page, Number(step));
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.equal(wide, 0, `step ${step} scrolls the page sideways`);
    assert.ok(await page.$$eval("#vars .tensor td", (cells) => cells.every((cell) => cell.getClientRects().length > 0)));
  }
});
