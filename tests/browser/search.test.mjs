// Searching all lectures, from the home page and from a lecture, and the index of symbols.

import assert from "node:assert/strict";
import { readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { bothOrigins, colours, lectures, onOneLecture, setTheme, site, violations } from "./support.mjs";

const other = lectures.at(-1).name;
/** A function that only that lecture has, and whose name is no words of a text. */
const own = lectures.at(-1).data.functions.map(([label]) => label)
  .find((label) => /^\w{8,}$/.test(label) && lectures.slice(0, -1).every(({ html }) => !html.includes(label))
    && lectures.every(({ html }) => !html.toLowerCase().includes(label.replaceAll("_", " "))));

/** Lectures as search.js brings them: in base64 a Zstandard frame, here of one block that is not compressed. */
function packed(lectures) {
  const bytes = Buffer.from(JSON.stringify(lectures));
  const header = Buffer.alloc(12);
  header.writeUInt32LE(0xfd2fb528, 0);
  header.writeUInt8(0xa0, 4); // one segment, of a size in 4 bytes
  header.writeUInt32LE(bytes.length, 5);
  header.writeUIntLE((bytes.length << 3) | 1, 9, 3); // the last block, as it is
  return Buffer.concat([header, bytes]).toString("base64");
}

async function search(page, query) {
  if (!(await page.locator("dialog.find[open]").count())) await page.keyboard.press("Control+k");
  await page.waitForFunction(() => window.lecternLectures);
  await page.getByRole("combobox", { name: "Find" }).fill(query);
  return page.$$eval("#found > li", (items) => items.map((item) => [...item.children].map(({ textContent }) => textContent)));
}

onOneLecture("the home page finds what a lecture says, and leads there", async (open) => {
  const page = await open({ path: "index.html" });
  const loaded = () => page.requests.filter((url) => url.endsWith("search.js")).length;
  assert.equal(loaded(), 0, "nothing is loaded before it is asked for");
  await page.getByRole("button", { name: "Search" }).click();
  await page.waitForFunction(() => window.lecternLectures);
  assert.equal(loaded(), 2);
  const found = await search(page, own);
  assert.equal(found[0][0], own);
  assert.equal(found[0][2], "function");
  await page.keyboard.press("Enter");
  await page.waitForURL(new RegExp(`/${other}/index.html#s\\d+-\\d+`));
  const row = new URL(page.url()).hash.slice(1);
  assert.ok(await page.locator(`[id="${row}"]`).count(), `${row} is on the page`);
  assert.deepEqual(page.complaints, []);
}, { from: bothOrigins });

onOneLecture("everything that each lecture can be found by is there, in at most 50 KB for each", async (open) => {
  const size = statSync(join(site, "search.js")).size;
  assert.ok(size <= 50_000 * lectures.length, `${size} bytes for ${lectures.length} lectures`);
  const page = await open({ path: "index.html" });
  await search(page, "");
  for (const { name } of lectures) {
    const written = JSON.parse(readFileSync(join(site, name, "search.json"), "utf8"));
    const kept = await page.evaluate((lecture) => window.lecternLectures.entries.filter((entry) => entry.lecture === lecture), name);
    assert.deepEqual(kept.map(({ label, anchor }) => [label, anchor]), written.map(([, text, anchor, ...detail]) => [[text, ...detail].join(", "), anchor]), name);
  }
});

onOneLecture("as one types: beginnings of words, all of them, slips of the finger, writing without blanks", async (open) => {
  const page = await open({ path: "index.html" });
  assert.deepEqual(await search(page, "  "), []);
  await page.evaluate((lectures) => lecternSearch(lectures), packed([[["it", "Écriture"], [
    [1, "深度学习的内存", "s0-1"], [1, "Déjà vu in the GradientBuffer", "s0-2"], [2, "scaled_dot_product_attention(q, k, v);", "s0-3"],
    [4, "loss", "s0-4", "train", "0.125"],
  ]]]));
  const finds = async (query) => (await search(page, query)).map(([label]) => label[0]).join("");
  for (const [query, expected] of [["学习", "深"], ["深", "深"], ["存", "深"], ["习学", ""], ["deja", "D"], ["buffer", "D"], ["gradientb", "D"],
    ["product atten", "s"], ["dot_prod", "s"], ["product vu", ""], ["atention", "s"], ["0.125", "l"], ["train loss", "l"]])
    assert.equal(await finds(query), expected, query);
});

onOneLecture("a lecture's page finds its own lines first, and each place once", async (open) => {
  const page = await open();
  const here = await page.textContent("h1");
  const titles = lectures.map(({ name }) => JSON.parse(readFileSync(join(site, name, "lecture.json"), "utf8")).title);
  const found = await search(page, "the");
  const isElsewhere = found.map(([, detail]) => titles.includes(detail));
  assert.ok(!isElsewhere[0] && isElsewhere.at(-1), "of both");
  assert.equal(isElsewhere.indexOf(true), isElsewhere.lastIndexOf(false) + 1, "the others stand below");
  assert.ok(found.every(([, detail]) => detail !== here));
});

onOneLecture("the index of symbols leads to each of them, and no one is shut out", async (open) => {
  const page = await open({ path: "symbols.html", script: false });
  await page.locator(`dt:has-text("${own}()") + dd a`).first().click();
  await page.waitForURL(new RegExp(`/${other}/`));
  for (const [width, path] of [[1280, "symbols.html"], [360, "symbols.html"], [360, "index.html"]]) {
    const shown = await open({ path, width, height: 700 });
    if (path === "index.html") await shown.keyboard.press("Control+k");
    assert.equal(await shown.evaluate(() => document.documentElement.scrollWidth), width);
    assert.deepEqual(await violations(shown), []);
    await setTheme(shown, "dark");
    assert.deepEqual(await violations(shown, "html", colours), []);
  }
});

onOneLecture("without its files a page finds what it has itself", async (open) => {
  const page = await open({ path: "index.html" });
  rmSync(join(site, "search.js"));
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Find" }).fill("the");
  const told = page.locator("dialog.find [role=status]", { hasText: "search.js" });
  assert.match(await told.textContent(), /Nothing fits\. · The other lectures can’t be searched/);
});
