// What paper shows otherwise than a screen: answers that a reader would open, and where links lead.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { openPage, temporaryFolder } from "./support.mjs";

const address = "https://example.org/a?b&c";
const show = [
  { kind: "exercise", markdown: "Why?", answer: "Because." },
  { kind: "link", url: address },
  { kind: "link", url: address, label: "here" },
  { kind: "text", markdown: `See ${address} and [there](${address}).` },
];
const name = "lectern_very_long_name_".repeat(6);
const prose = "Elements are read once, in order, and written once; what is in between stays in registers. ".repeat(2);
const rows = (head, ...rest) => [head, head.map(() => "---"), ...rest].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
for (const each of [
  rows(["one"], ["x".repeat(200)]),
  rows(["name", "what it is", "dtype"], ["alpha", `${prose}\`${name}\``, "float32"], ["beta", prose, "bfloat16"]),
  rows(Array(8).fill("attention_scores"), Array(8).fill("softmax_backward")),
])
  show.push({ kind: "text", markdown: each });
show.push({ kind: "table", header: ["name", "what it is"], rows: [[`\`${name}\``, "short"]] });
const records = [
  { source: 0, path: "paper.cpp", language: "cpp", lines: ["int main() {", "  show();", "}"] },
  { function: 0, name: "main", source: 0, span: [1, 1, 3, 2] },
  { site: 0, function: 0, span: [2, 3, 2, 10] },
  { stack: 0, function: 0 },
  { at: 0, in: 0, enter: 1, show },
  { end: "return", steps: 1 },
];
const folder = temporaryFolder("paper");
writeFileSync(join(folder, "paper.json"), JSON.stringify({ format: "lectern-trace/1", lecture: "paper", profile: { name: "cpu" }, records }));
execFileSync(process.env.LECTERN_BIN, ["render", join(folder, "paper.json"), "-o", join(folder, "site")]);
const url = pathToFileURL(join(folder, "site/paper/index.html")).href;

for (const script of [true, false]) {
  test(`paper has the answers, and every address once, ${script ? "with" : "without"} scripts`, async () => {
    const page = await openPage(url, { script });
    const answer = page.locator(".exercise details p");
    assert.equal(await answer.evaluate((element) => element.checkVisibility()), false);
    await page.emulateMedia({ media: "print" });
    assert.equal(await answer.evaluate((element) => element.checkVisibility()), true);
    const links = await page.$$eval('.slot a[href^="http"]', (all) => all.map((link) => [link.textContent, getComputedStyle(link, "::after").content]));
    assert.deepEqual(links.map(([text]) => text), [address, "here", address, "there"]);
    for (const [text, after] of links) assert.equal(after.includes(address), text !== address, `${text} ${after}`);
    assert.deepEqual(page.complaints, []);
    await page.context().close();
  });
}

test("words of tables break where they would be cut off, and nowhere else", async () => {
  const page = await openPage(url, { width: 680 });
  await page.emulateMedia({ media: "print" });
  const tables = await page.$$eval(".slot .scroll", (all) => all.map((scroll) => {
    const lines = (cell) => {
      const range = document.createRange();
      range.selectNodeContents(cell);
      return new Set([...range.getClientRects()].map(({ bottom }) => Math.round(bottom))).size;
    };
    const broken = [...scroll.querySelectorAll("td, th")].filter((cell) => !/\s/.test(cell.textContent) && lines(cell) > 1);
    return { over: scroll.scrollWidth - scroll.clientWidth, broken: broken.map((cell) => cell.textContent) };
  }));
  assert.deepEqual(tables.map(({ over }) => over), [0, 0, 0, 0]);
  assert.deepEqual(tables.map(({ broken }) => broken.length), [1, 0, 16, 1]);
  await page.context().close();
});
