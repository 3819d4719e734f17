// Works that lectures cite and terms that they define: cards, references, the glossary and the bibliography of the site.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { goTo, openPage, press, setTheme, temporaryFolder, violations } from "./support.mjs";

const text = (markdown) => ({ kind: "text", markdown });
const work = (key, authors, title, date) => ({
  kind: "link", key, title, authors, date, label: `[${authors[0].split(" ").at(-1)}${authors.length > 1 ? "+" : ""} ${date}]`,
  url: `https://example.org/${key}`, organization: "Neural Computation 9(8):1735–1780",
});
const lstm = work("hochreiter1997", ["Sepp Hochreiter", "Jürgen Schmidhuber"], "Long Short-Term Memory", "1997");
const attention = work("vaswani2017", ["Ashish Vaswani", "Noam Shazeer"], "Attention is All you Need", "2017");
const definition = "**model FLOPs utilization**: the FLOPs of the model, $6 N D$, over those that the device could do in that time";

const lectures = {
  first: {
    title: "Counting",
    hooks: [
      [text("We measure the"), { kind: "term", name: "MFU", definition }, text("of every step.")],
      [text("Recurrent networks"), lstm, text("came before attention"), attention, text(".")],
      ...Array.from({ length: 40 }, (_, i) => [text(`Paragraph ${i}.`)]),
      [text("At the end the"), { kind: "term", name: "MFU" }, text("is what counts, as in"), attention, text(".")],
    ],
  },
  second: { title: "Using", hooks: [[text("Again the"), { kind: "term", name: "mfu" }, text("and a"), { kind: "term", name: "stray term" }, text(".")], [lstm]] },
};

function trace(name, { title, hooks }) {
  const shown = [[{ kind: "front", title }], ...hooks];
  const lines = ["int main() {", ...shown.map((_, i) => `  show${i}();`), "}"];
  const records = [
    { source: 0, path: `${name}.cpp`, language: "cpp", lines },
    { function: 0, name: "main", source: 0, span: [1, 1, lines.length, 2] },
    ...shown.map((_, i) => ({ site: i, function: 0, span: [i + 2, 3, i + 2, lines[i + 1].length + 1], kind: "hook" })),
    { stack: 0, function: 0 },
    ...shown.map((show, i) => ({ at: i, in: 0, ...(i === 0 ? { enter: 1 } : {}), show })),
    { end: "return", steps: shown.length },
  ];
  return JSON.stringify({ format: "lectern-trace/1", lecture: name, profile: { name: "cpu" }, records });
}

const folder = temporaryFolder("mentions");
const files = Object.entries(lectures).map(([name, lecture]) => {
  writeFileSync(join(folder, `${name}.json`), trace(name, lecture));
  return join(folder, `${name}.json`);
});
execFileSync(process.env.LECTERN_BIN, ["render", ...files, "-o", join(folder, "site")]);
const url = (path) => pathToFileURL(join(folder, "site", path)).href;
const pages = ["first/index.html", "second/index.html", "glossary.html", "bibliography.html", "index.html"];

for (const width of [1280, 390]) {
  test(`a term's card has its definition, on hover and focus, ${width} pixels wide`, async () => {
    for (const name of ["first", "second"]) {
      const page = await openPage(url(`${name}/index.html`), { width });
      const link = page.locator(".row:not(.raw) .term > a.ref").first();
      const card = page.locator(".row:not(.raw) .term > .card").first();
      await link.scrollIntoViewIfNeeded();
      assert.equal(await card.count(), 0);
      await link.hover();
      assert.ok(await card.isVisible(), "on hover");
      assert.match(await card.textContent(), /^MFUmodel FLOPs utilization: the FLOPs of the model/);
      assert.equal(await card.locator(".katex").count(), 1);
      const box = await card.boundingBox();
      assert.ok(box.x >= 0 && box.x + box.width <= width, `within the window: ${box.x} + ${box.width}`);
      await press(page, "Escape");
      assert.ok(!(await card.isVisible()), "Escape");
      await page.mouse.move(0, 0);
      await press(page, "Tab");
      await link.focus();
      assert.ok(await card.isVisible(), "on focus");
      assert.equal(await page.locator(".row:not(.raw) .term > .card").count(), 1, "one card, however often it opens");
      const told = await link.evaluate((element) => document.getElementById(element.getAttribute("aria-describedby")).textContent);
      assert.match(told, /^model FLOPs utilization/);
      assert.deepEqual(page.complaints, []);
      await page.context().close();
    }
  });
}

test("on a touch screen the first tap opens a card, the second follows the link", async () => {
  const page = await openPage(url("second/index.html"), { width: 390, touch: true });
  const link = page.locator(".row:not(.raw) .term > a.ref").first();
  const card = page.locator(".row:not(.raw) .term > .card").first();
  await link.tap();
  assert.ok(await card.isVisible());
  assert.match(page.url(), /second\/index\.html/);
  await page.locator("h1").tap();
  assert.ok(!(await card.isVisible()), "a tap elsewhere closes it");
  await link.tap();
  await link.tap();
  await page.waitForURL(/second\/index\.html#term\.mfu$/);
  await page.context().close();
});

for (const script of [true, false]) {
  test(`terms and works lead to what is said of them, ${script ? "with" : "without"} scripts`, async () => {
    const page = await openPage(url("first/index.html"), { script });
    const cites = page.locator('.row:not(.raw) .ref[data-ref="2"]');
    assert.equal(await cites.first().textContent(), "[Vaswani+ 2017]");
    await cites.first().click();
    assert.ok(page.url().endsWith("#reference.2"), page.url());
    const entry = page.locator("#reference\\.2");
    assert.match(await entry.textContent(), /^Ashish Vaswani, Noam Shazeer\. Attention is All you Need\. Neural Computation/);
    const seen = await entry.evaluate((element) => {
      const { top, bottom } = element.getBoundingClientRect();
      return top >= document.querySelector(".top").getBoundingClientRect().bottom && bottom <= innerHeight;
    });
    assert.ok(seen, "the entry is in view, not under the header");
    assert.match(await page.locator(".terms dd").textContent(), /^model FLOPs utilization/);
    await page.locator(".row:not(.raw) .term > a.ref").first().click();
    assert.match(page.url(), /first\/index\.html#term\.mfu$/);
    await page.locator(".terms dt a").first().click();
    assert.match(page.url(), /glossary\.html#term\.mfu$/);
    await page.locator("dt#term\\.mfu + dd").getByRole("link", { name: "Using, line 3" }).click();
    assert.match(page.url(), /second\/index\.html#s0-3/);
    await page.goto(url("bibliography.html"));
    assert.deepEqual(await page.locator("main li > a").allTextContents(), ["Long Short-Term Memory", "Attention is All you Need"]);
    assert.match(await page.locator("main li").nth(1).locator(".places").textContent(), /^Cited in Counting, line 4, line 45\.$/);
    await page.getByRole("link", { name: "line 45" }).click();
    await page.waitForFunction(() => {
      const row = document.getElementById("s0-45")?.getBoundingClientRect();
      return row && row.height > 0 && row.bottom <= innerHeight && row.top >= 0;
    });
    assert.deepEqual(page.complaints, []);
    await page.context().close();
  });
}

test("a term that no lecture defines says so", async () => {
  const page = await openPage(url("second/index.html"));
  await page.locator(".term > a.ref", { hasText: "stray" }).hover();
  assert.match(await page.locator(".term > .card").textContent(), /No lecture defines it\./);
  await page.context().close();
});

test("paper has numbers of works, their addresses, and the definitions of terms", async () => {
  const page = await openPage(url("first/index.html"));
  await page.emulateMedia({ media: "print" });
  const after = await page.$$eval(".row:not(.raw) .ref[data-ref]", (all) => all.map((link) => getComputedStyle(link, "::after").content));
  assert.deepEqual(after.map((each) => /\[" "?(\d)|\[(\d)/.test(each) || each), Array(after.length).fill(true));
  const entries = await page.$$eval(".references li", (all) => all.map((entry) => getComputedStyle(entry, "::after").content));
  assert.ok(entries.every((each) => each.includes("https://example.org/") || each.includes("attr(data-url)")), entries.join());
  assert.ok(await page.locator(".terms dd").isVisible());
  await page.context().close();
});

test("what is cited and defined is found", async () => {
  const page = await openPage(url("first/index.html"));
  for (const [query, label] of [["long short", "Long Short-Term Memory"], ["utilization", "model FLOPs utilization"]]) {
    await press(page, "Control+k");
    await page.keyboard.type(query);
    const found = page.locator("dialog [role=option]", { hasText: label }).first();
    await found.waitFor();
    await press(page, "Escape");
  }
  await goTo(page, 2);
  await page.context().close();
});

for (const path of pages) {
  for (const theme of ["light", "dark"]) {
    test(`${path} shuts no one out, ${theme}`, async () => {
      for (const width of [1280, 390]) {
        const page = await openPage(url(path), { width });
        await setTheme(page, theme);
        assert.deepEqual(await violations(page), []);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "no scrolling to the side");
        await page.context().close();
      }
    });
  }
}
