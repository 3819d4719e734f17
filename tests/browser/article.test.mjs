// The page as an article: prose first, everything in its place, and paper.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { drawn, goTo, lectures, onEachLecture, onOneLecture, onTwoLectures, press, site } from "./support.mjs";

const second = lectures.filter(({ name }) => name === "lecture_02");

onEachLecture("prose is the first thing below the title, and calls of main never stand in a block of code", async (open) => {
  const page = await open.shared({ script: false });
  const { first, blocks, gaps } = await page.evaluate(() => {
    const seen = [...document.querySelectorAll(".part > .fold, .part > .block > .row")].filter((row) => row.getClientRects().length > 0);
    return {
      first: seen.find((row) => !row.matches(".aside")).className,
      blocks: seen.filter((row) => row.matches(".row.code:not(.aside)") && /^\s*(int main\(\)|#include|using namespace)/.test(row.querySelector(".c > code").textContent)).map((row) => row.textContent),
      gaps: seen.filter((row) => row.matches(".first.last:not(.aside)") && /^\s*\d+\s*}\s*$/.test(row.textContent)).length,
    };
  });
  assert.match(first, /\bshown\b/);
  assert.deepEqual(blocks, []);
  assert.equal(gaps, 0, "a bracket alone is no block of code");
});

onTwoLectures("the number of a row stands at its top", async (open) => {
  const page = await open.shared();
  const low = await page.evaluate(() => [...document.querySelectorAll(".row.shown")].flatMap((row) => {
    const number = row.querySelector(".n")?.getBoundingClientRect();
    const content = row.querySelector(".slot > *")?.getBoundingClientRect();
    if (!number?.height || !content?.height || !row.querySelector(".n").textContent) return [];
    // A heading has its room above it.
    const down = number.top - content.top;
    return down > 44 ? [`line ${row.dataset.line}: ${Math.round(down)} pixels below`] : [];
  }));
  assert.deepEqual(low, []);
});

// One step after another where most kinds of steps are, the rest by jumps: a step does the same wherever it is.
for (const [width, inARow, jumps] of [[1280, 100, 20], [390, 50, 10]]) {
  onOneLecture(`nothing in the reading column moves while the reader steps, ${width} pixels wide`, async (open, lecture) => {
    const page = await open({ width, height: 800 });
    await page.evaluate(() => document.fonts.ready);
    const count = lecture.data.at.length;
    const far = Array.from({ length: jumps }, (_, i) => inARow + Math.round(((count - inARow) * (i + 1)) / jumps));
    const { moved, last } = await page.evaluate(async ([steps, targets]) => {
      const rows = [...document.querySelectorAll(".lec .row, .lec .slot, .lec .c > code, .lec .fold > summary, .lec .path, .references")].filter((row) => row.getClientRects().length > 0);
      const column = document.querySelector(".lec");
      const places = () => {
        const origin = column.getBoundingClientRect().top;
        return rows.map((row) => row.getBoundingClientRect().top - origin);
      };
      const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      const where = document.querySelector("#where b");
      const stepOn = () => document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
      const moves = [...Array(steps).fill(stepOn), ...targets.map((step) => () => (location.hash = `#step=${step}`))];
      let before = places();
      const found = [];
      for (const move of moves) {
        const told = where.textContent;
        move();
        for (let i = 0; i === 0 || (where.textContent === told && i < 100); ++i) await frame();
        await frame();
        while (document.querySelector('.env[aria-busy="true"]')) await frame();
        const now = places();
        const at = now.findIndex((top, row) => Math.abs(top - before[row]) > 0.5);
        if (at >= 0) found.push(`${where.textContent}: ${rows[at].textContent.slice(0, 60)}`);
        before = now;
      }
      return { moved: found, last: where.textContent };
    }, [inARow, far]);
    assert.deepEqual(moved, []);
    assert.ok(last.startsWith(`step ${count.toLocaleString("en")} of`), last);
  }, { among: second });
}

onTwoLectures("without script the text has the same order", async (open) => {
  const order = (page) => page.evaluate(() => [...document.querySelectorAll(".lec .row:not(.raw)")].filter((row) => row.getClientRects().length > 0).map((row) => row.id));
  const [still, live] = [await open.shared({ script: false }), await open.shared()];
  assert.deepEqual(await order(still), await order(live));
});

onEachLecture("links to functions lead to what is shown of them", async (open, lecture, skip) => {
  const page = await open.shared();
  const gone = await page.evaluate(() => [...document.querySelectorAll("a.fn")].filter(({ hash }) => {
    const target = document.getElementById(hash.slice(1));
    return !target || (target.getClientRects().length === 0 && !target.closest(".fold"));
  }).map(({ hash }) => hash));
  assert.deepEqual(gone, []);
});

onEachLecture("every work is among the references, once, and the text has its number", async (open) => {
  const page = await open.shared();
  const { numbers, works, named } = await page.evaluate(() => ({
    numbers: [...document.querySelectorAll(".ref[data-ref]")].map(({ dataset }) => Number(dataset.ref)),
    works: [...document.querySelectorAll(".references li")].map(({ textContent }) => textContent),
    named: [...document.querySelectorAll(".cite > .ref")].filter(({ dataset }) => !dataset.ref).length,
  }));
  assert.equal(named, 0);
  assert.equal(new Set(works).size, works.length);
  assert.deepEqual([...new Set(numbers)].sort((a, b) => a - b), works.map((_, at) => at + 1));
});

onTwoLectures("on paper links say where they lead, and the values are the last ones", async (open, lecture) => {
  const still = await open.shared({ script: false });
  const slots = (page) => page.evaluate(() => [...document.querySelectorAll(".row.shown > .slot")].map(({ innerText }) => innerText));
  const chips = (page) => page.evaluate(() => [...document.querySelectorAll(".chips")].map(({ textContent }) => textContent));
  await still.emulateMedia({ media: "print" });
  const expected = { slots: await slots(still), chips: (await chips(still)).filter(Boolean) };
  await still.emulateMedia({ media: null });
  const page = await open();
  await goTo(page, Math.floor(lecture.data.at.length / 3));
  await press(page, "P");
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  await page.waitForTimeout(300);
  await page.emulateMedia({ media: "print" });
  assert.deepEqual((await chips(page)).filter(Boolean), expected.chips);
  const told = await slots(page);
  assert.equal(told.length, expected.slots.length);
  assert.ok(told.every((text) => text.length > 0) || told.filter((text) => text === "").length === expected.slots.filter((text) => text === "").length, "what presenting hides is printed");
  const { links, works } = await page.evaluate(() => {
    const after = (link) => getComputedStyle(link, "::after").content;
    const shown = (link) => link.getClientRects().length > 0;
    return {
      links: [...document.querySelectorAll('.slot a[href^="http"]')].filter(shown).filter((link) => !after(link).includes(link.dataset.ref ?? link.getAttribute("href"))).map(({ href }) => href),
      works: [...document.querySelectorAll(".references li:has(a)")].filter((work) => !after(work).includes(work.querySelector("a").getAttribute("href"))).length,
    };
  });
  assert.deepEqual(links, []);
  assert.equal(works, 0);
  assert.match(readFileSync(join(site, "assets/style.css"), "utf8"), /@page\s*\{[^}]*@bottom-center\s*\{[^}]*counter\(page\)/);
});

onOneLecture("a PDF is made of a page that is stepped through, and the page is as it was", async (open, lecture) => {
  const page = await open();
  await goTo(page, Math.floor(lecture.data.at.length / 2));
  const chips = () => page.evaluate(() => [...document.querySelectorAll(".chips")].map(({ textContent }) => textContent).join("|"));
  const before = await chips();
  await page.evaluate(() => {
    window.printed = 0;
    addEventListener("beforeprint", () => ++window.printed);
  });
  assert.ok((await page.pdf()).length > 20_000);
  await drawn(page);
  assert.equal(await page.evaluate(() => window.printed), 1);
  assert.equal(await chips(), before);
});
