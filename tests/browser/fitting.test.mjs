// What is wider than its place is broken or scrolls; on paper all of it is there.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { renderShows } from "./shown_lecture.mjs";
import { openPage, temporaryFolder } from "./support.mjs";

const folder = temporaryFolder("fitting");
const word = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft".repeat(2);
const line = (letter) => `${letter.repeat(400)}-end-of-${letter}`;
const numbers = Array.from({ length: 20 }, (_, i) => String(1234567 * (i + 1)));
const graph = { kind: "graph", nodes: numbers.map((id) => ({ id })), edges: numbers.slice(1).map((to) => ({ from: numbers[0], to })) };
const url = renderShows(folder, "fitting", [
  [{ kind: "front", title: word, authors: [word], tags: [word], description: word }],
  [{ kind: "tabs", tabs: [{ title: word, markdown: `\`\`\`\n${line("t")}\n\`\`\`` }, { title: "B", markdown: "b" }] }],
  [{ kind: "text", markdown: "See" }, { kind: "term", name: word, definition: "long" }],
  [{ kind: "verbatim", text: line("v") }],
  [{ kind: "system", command: "echo", text: line("s") }],
  [{ kind: "text", markdown: `\`\`\`cpp\n// ${line("f")}\n\`\`\`` }],
  [{ kind: "table", header: numbers, rows: [numbers] }],
  [{ kind: "text", markdown: `$$${numbers.map((_, i) => `x_{${i}}`).join(" + ").repeat(4)}$$` }],
  [graph],
]);

test("on a screen nothing is cut off that does not scroll", async () => {
  for (const width of [360, 1280]) {
    const page = await openPage(url, { width });
    const cut = await page.evaluate(() => {
      const found = [];
      const right = document.querySelector(".lec").getBoundingClientRect().right;
      for (const element of document.querySelectorAll(".lec *")) {
        if (element.closest(".katex-mathml, .unseen") || !element.checkVisibility() || element.getBoundingClientRect().right <= right + 1) continue;
        let around = element.parentElement;
        while (around && getComputedStyle(around).overflowX !== "auto") around = around.parentElement;
        if (!around || around.getBoundingClientRect().right > right + 1) found.push(element.outerHTML.slice(0, 80));
      }
      return found;
    });
    assert.deepEqual(cut, [], `at ${width}`);
    assert.ok(await page.locator(".tab pre").evaluate((pre) => pre.scrollWidth > pre.clientWidth), "code in a tab scrolls");
    await page.context().close();
  }
});

test("a long menu leaves the search and the theme their places on a phone", async () => {
  writeFileSync(join(folder, "site.toml"), [word, "Assignments", "Forum"].map((name) => `[[menu]]\nname = "${name}"\nurl = "a.html"\n`).join(""));
  execFileSync(process.env.LECTERN_BIN, ["render", "-o", join(folder, "site"), "--settings", join(folder, "site.toml")]);
  const page = await openPage(new URL("../index.html", url).href, { width: 360 });
  const cut = await page.$$eval(".tools", (all) => all.filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.outerHTML));
  assert.deepEqual(cut, []);
  assert.ok(await page.locator(".top .menu").evaluate((menu) => menu.scrollWidth > menu.clientWidth && menu.clientWidth > 40), "the menu scrolls");
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
  await page.context().close();
});

test("paper has the ends of long lines, and whole tables, formulas and graphs, in fonts that were late, too", async (context) => {
  for (const plain of [false, true]) {
    const page = await openPage(url);
    await page.evaluate((plain) => document.documentElement.classList.toggle("plain", plain), plain); // font_gate.ts
    const paper = join(folder, "fitting.pdf");
    writeFileSync(paper, await page.pdf({ format: "A4" }));
    await page.emulateMedia({ media: "print" });
    await page.setViewportSize({ width: 680, height: 960 }); // A4 within its margins
    const wide = await page.$$eval(".slot :is(pre, table, .katex-html, .graph-picture)", (all) => all.filter((each) => each.getBoundingClientRect().right > innerWidth + 1).map((each) => each.outerHTML.slice(0, 80)));
    assert.deepEqual(wide, []);
    await page.context().close();
    let text;
    try {
      text = execFileSync("pdftotext", ["-raw", paper, "-"], { encoding: "utf8" }).replace(/[\s\u2060]/g, ""); // word joiners: code.css
    } catch (error) {
      if (error.code !== "ENOENT") throw error;
      return context.diagnostic("without pdftotext the paper itself was not read");
    }
    for (const letter of "tvsf") assert.ok(text.includes(`-end-of-${letter}`), letter);
  }
});

test("in large type every button of a phone's top bar can be reached", async () => {
  const page = await openPage(url, { width: 320, height: 640 });
  await page.evaluate(() => {
    const large = new CSSStyleSheet();
    large.replaceSync(".tools button, .tools kbd { font-size: 20px !important; }");
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, large];
  });
  for (const button of await page.locator(".tools button:visible").all()) {
    await button.scrollIntoViewIfNeeded();
    await button.click({ trial: true, timeout: 5000 });
  }
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320);
  await page.context().close();
});
