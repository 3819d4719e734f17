// Pages in single files: what is given away opens anywhere, asks for nothing, and is as the page of the site is.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { drawn, goTo, openPage, press, shownStep, site, temporaryFolder, violations } from "./support.mjs";

const folder = temporaryFolder("single");
const traces = process.env.LECTERN_TRACES ?? join(dirname(fileURLToPath(import.meta.url)), "../../traces/cpu");
const names = readdirSync(traces).filter((name) => /(?<!\.rank\d+)\.json$/.test(name)).map((name) => name.replace(/\.json$/, ""));

function render(...options) {
  return spawnSync(process.env.LECTERN_BIN, ["render", "--single-file", ...options], { encoding: "utf8" });
}

const made = render(...names.map((name) => join(traces, `${name}.json`)), "-o", join(folder, "lectures"));
assert.equal(made.status, 0, made.stderr);
const fileOf = (name) => join(folder, "lectures", `${name}.html`);
const heaviest = "lecture_02";

async function open(file, options = {}) {
  const page = await openPage(pathToFileURL(file).href, { prepare: (each) => each.context().setOffline(true), ...options });
  page.file = file;
  return page;
}

async function expectAlone(page) {
  assert.deepEqual(page.complaints, []);
  assert.deepEqual(await page.evaluate(() => window.violations ?? []), []);
  const asked = page.requests.filter((url) => !url.startsWith("data:") && !url.startsWith(pathToFileURL(page.file).href));
  assert.deepEqual(asked, []);
}

test("each is one file of at most 1.5 MB, where its lecture allows that, and nothing else is left", async (context) => {
  assert.deepEqual(readdirSync(join(folder, "lectures")).sort(), names.map((name) => `${name}.html`).sort());
  for (const name of names) {
    const { length } = readFileSync(fileOf(name));
    context.diagnostic(`${name}: ${length.toLocaleString("en")} bytes`);
    if (name === heaviest) assert.ok(length <= 1_480_000, `${name} has room to grow`);
    if (length <= 1_500_000) continue;
    assert.notEqual(name, heaviest);
    // Where the lecture itself is larger, nothing is in it that can be left out: what draws plots.
    const page = await open(fileOf(name));
    assert.ok(!(await page.evaluate(() => window.lecternFiles.has("plots.js"))), `${name} has ${length} bytes`);
    await page.context().close();
  }
});

test("its policy allows what is in it by hashes, and nothing else", async () => {
  for (const name of names) {
    const html = readFileSync(fileOf(name), "utf8");
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html)[1];
    const directives = Object.fromEntries(policy.split("; ").map((each) => [each.split(" ")[0], each.split(" ").slice(1)]));
    assert.deepEqual(Object.keys(directives), ["default-src", "script-src", "style-src", "style-src-attr", "img-src", "font-src", "media-src"]);
    assert.deepEqual(directives["default-src"], ["'none'"]);
    for (const kind of ["img-src", "font-src", "media-src"]) assert.deepEqual(directives[kind], ["data:"]);
    for (const kind of ["script-src", "style-src"])
      for (const source of directives[kind]) assert.match(source, kind === "script-src" ? /^'(sha256-[\w+/]{43}=|wasm-unsafe-eval)'$/ : /^'sha256-[\w+/]{43}='$/);
    assert.equal(directives["script-src"].includes("'wasm-unsafe-eval'"), html.includes('<div class="calculator"'), "WebAssembly only for calculators");
    const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
    const inline = (element) => [...html.matchAll(new RegExp(`<${element}>(.*?)</${element}>`, "gs"))].map((match) => hash(match[1]));
    assert.equal(inline("script").length, 2, "one before the first paint, one that opens the rest");
    for (const each of inline("script")) assert.ok(directives["script-src"].includes(each));
    assert.deepEqual(inline("style"), directives["style-src"]);
    // What was packed runs, too, and is named by its own hash.
    const page = await open(fileOf(name));
    const packed = await page.evaluate(() => [...window.lecternFiles].filter(([file]) => file.endsWith(".js")).map(([, bytes]) => new TextDecoder().decode(bytes)));
    assert.deepEqual([...inline("script"), ...packed.map(hash)].sort(), directives["script-src"].filter((each) => each.startsWith("'sha")).sort());
    await page.context().close();
  }
});

test("it says and steps what the page of the site does, and asks for nothing", async () => {
  const onSite = names.filter((each) => existsSync(join(site, each, "index.html")));
  const bySize = onSite.sort((a, b) => statSync(fileOf(a)).size - statSync(fileOf(b)).size);
  for (const name of new Set([bySize[0], heaviest, bySize.at(-1)])) {
    const one = await open(fileOf(name));
    const whole = await openPage(pathToFileURL(join(site, name, "index.html")).href);
    // Plots are drawn or, where Vega is left out, pictures; the titles of other lectures are not known; buttons of blocks come
    // when the browser has time.
    const text = (page) => page.evaluate(() => {
      const copy = document.querySelector("main .lec").cloneNode(true);
      for (const part of copy.querySelectorAll(".chart, .prerequisites, .block-tool")) part.remove();
      return copy.textContent.replace(/\s+/g, " ");
    });
    const state = (page) => page.evaluate(() => document.querySelector(".env").textContent.replace(/\s+/g, " "));
    // Costs are read after the first paint.
    for (const page of [one, whole]) await page.waitForFunction(() => !document.querySelector("details.costs") || /\d/.test(document.querySelector(".step-cost tbody td")?.textContent));
    assert.equal(await text(one), await text(whole));
    const last = await one.evaluate(() => Number(document.getElementById("progress").max));
    for (const step of [1, Math.floor(last / 3), Math.floor((2 * last) / 3), last]) {
      await Promise.all([goTo(one, step), goTo(whole, step)]);
      assert.equal(await state(one), await state(whole), `step ${step}`);
    }
    assert.equal(await text(one), await text(whole));
    for (const page of [one, whole]) await press(page, "r");
    assert.equal(await one.locator(".row.raw:visible").count(), await whole.locator(".row.raw:visible").count());
    await press(one, "r");
    await press(one, "ArrowLeft");
    assert.equal(await shownStep(one), last - 1);
    await press(one, "S");
    assert.match(await one.locator("#message").textContent(), /no speaker’s window/);
    await press(one, "g");
    assert.match(await one.locator("#message").textContent(), /a lecture by itself/);
    await expectAlone(one);
    await one.context().close();
    await whole.context().close();
  }
});

test("finding, themes, costs and print work in it, and text stays where it is", async () => {
  const page = await open(fileOf(heaviest));
  await press(page, "Control+k");
  await page.keyboard.type("optimizer");
  await page.waitForFunction(() => document.querySelectorAll("#found li").length > 3);
  await page.keyboard.press("Enter");
  await drawn(page);
  await press(page, "t");
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
  await page.waitForFunction(() => document.querySelector(".step-cost") !== null);
  assert.ok((await page.locator("details.costs").count()) === 1);
  assert.deepEqual(await page.evaluate(() => [...document.images].filter((image) => image.loading !== "lazy" && image.naturalWidth === 0).map((image) => image.alt)), []);
  for (const image of await page.locator("main img").all()) {
    await image.scrollIntoViewIfNeeded();
    await page.waitForFunction((element) => element.complete && element.naturalWidth > 0, await image.elementHandle());
  }
  const fonts = await page.evaluate(() => [...document.fonts].filter(({ family, status }) => !/Fallback/.test(family) && status === "loaded").map(({ family }) => family.replaceAll('"', "")));
  for (const family of ["Source Serif 4 Variable", "Inter Variable", "JetBrains Mono Variable", "KaTeX_Main"]) assert.ok(fonts.includes(family), `${family} is among ${fonts}`);
  assert.deepEqual(await page.evaluate(() => window.shifts), []);
  await page.emulateMedia({ media: "print" });
  assert.ok(!(await page.isVisible(".bar")));
  await expectAlone(page);
  await page.context().close();
});

test("its calculators calculate", async (context) => {
  const html = (each) => readFileSync(fileOf(each), "utf8");
  const name = names.find((each) => /data-module=/.test(html(each)) && /<input type="range" min/.test(html(each)));
  if (!name) return context.skip("no trace with calculators: accepted ones have none");
  const page = await open(fileOf(name));
  const form = page.locator('.calculator[data-module]:has(input[type="range"])').first();
  await form.scrollIntoViewIfNeeded();
  const input = form.locator('input[type="text"]').first();
  await page.waitForFunction((element) => !element.closest("fieldset").disabled, await input.elementHandle());
  const before = await form.locator(".result").textContent();
  await form.locator('input[type="range"]').first().focus();
  for (let i = 0; i < 30; ++i) await page.keyboard.press("ArrowRight");
  await page.waitForFunction(([element, text]) => element.textContent !== text, [await form.locator(".result").elementHandle(), before]);
  await expectAlone(page);
  await page.context().close();
});

test("without JavaScript it reads like the page of the site", async () => {
  const page = await open(fileOf(heaviest), { script: false, width: 390, height: 780 });
  const words = await page.locator("main").innerText();
  assert.ok(words.length > 20_000);
  for (const selector of [".katex", ".chip", ".verdict", ".still.narrow", ".row.code"]) assert.ok(await page.locator(selector).first().isVisible(), selector);
  assert.ok(!(await page.isVisible(".bar")));
  assert.deepEqual(page.complaints, []);
  assert.deepEqual(page.requests.filter((url) => !url.startsWith("data:")), [pathToFileURL(fileOf(heaviest)).href]);
  await page.context().close();
});

/** A small lecture: a plot, an image that is there at last and one that is not, links. */
function smallTrace(name) {
  const spec = { mark: "line", data: { values: [{ x: 1, y: 2 }, { x: 2, y: 5 }] }, encoding: { x: { field: "x", type: "quantitative" }, y: { field: "y", type: "quantitative" } } };
  const lines = ["int main() {", "  show();", "  for (;;) picture();", "}"];
  const shows = [
    { kind: "front", title: "Small", series: "A series", tags: ["a tag"] },
    { kind: "plot", spec, alt: "Up" },
    { kind: "text", markdown: "</script><!-- “ž” [next](../other/index.html) [above](#small) [web](https://example.org/x)" },
  ];
  const records = [
    { source: 0, path: "small.cpp", language: "cpp", lines },
    { function: 0, name: "main", source: 0, span: [1, 1, 4, 2] },
    { site: 0, function: 0, span: [2, 3, 2, 10], kind: "hook" },
    { site: 1, function: 0, span: [3, 12, 3, 22], kind: "hook" },
    { stack: 0, function: 0 },
    { at: 0, in: 0, enter: 1, show: shows },
    ...["first.svg", "last.svg"].map((src) => ({ at: 1, in: 0, show: [{ kind: "image", src, alt: src }, { kind: "text", markdown: "[on](../other/index.html#x)" }] })),
    { end: "return", steps: 3 },
  ];
  mkdirSync(join(folder, `${name}.assets`), { recursive: true });
  for (const file of ["first.svg", "last.svg"]) writeFileSync(join(folder, `${name}.assets`, file), `<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><style>rect{fill:red}</style><rect width="20" height="20"/></svg>`);
  writeFileSync(join(folder, `${name}.json`), JSON.stringify({ format: "lectern-trace/1", lecture: name, profile: { name: "cpu" }, records }));
  return join(folder, `${name}.json`);
}

test("a small one has what draws plots, images of every step, and no links to what it is without", async () => {
  const file = join(folder, "alone", "any name.html");
  const said = render(smallTrace("small"), "-o", file);
  assert.equal(said.status, 0, said.stderr);
  assert.deepEqual(readdirSync(dirname(file)), ["any name.html"]);
  const page = await open(file);
  await page.locator(".chart > div svg").waitFor();
  assert.deepEqual(await page.$$eval("a[href]:not(.enlarge)", (all) => all.map((each) => each.getAttribute("href")).filter((href) => !/^(#|https:)/.test(href))), []);
  for (const [step, name] of [[1, "first.svg"], [2, "last.svg"], [1, "first.svg"]]) {
    await goTo(page, step);
    const image = page.locator(`img[alt="${name}"]`);
    await image.scrollIntoViewIfNeeded();
    await page.waitForFunction((element) => element.naturalWidth === 20, await image.elementHandle());
    const src = await image.getAttribute("src");
    assert.ok(src.startsWith("data:image/svg+xml;base64,"));
    await page.waitForFunction(([element, own]) => element.closest("a.enlarge").href === own, [await image.elementHandle(), src]);
    assert.equal(await page.locator('a:text-is("on")').getAttribute("href"), null);
  }
  assert.deepEqual(await violations(page), []);
  await expectAlone(page);
  await page.context().close();
});

test("with the site's address, links lead there", async () => {
  const settings = join(folder, "site.toml");
  writeFileSync(settings, 'base_url = "https://example.org/course/"\n');
  const file = join(folder, "linked.html");
  assert.equal(render(smallTrace("linked"), "-o", file, "--settings", settings).status, 0);
  const page = await open(file);
  const href = (text) => page.locator(`a:text-is("${text}")`).first().getAttribute("href");
  assert.equal(await href("next"), "https://example.org/course/other/index.html");
  assert.equal(await href("A series"), "https://example.org/course/series/a-series.html");
  assert.equal(await page.getAttribute("a.mark", "href"), "https://example.org/course/index.html");
  await goTo(page, 1);
  assert.equal(await href("on"), "https://example.org/course/other/index.html#x");
  await expectAlone(page);
  await page.context().close();
});

test("what cannot be one file is refused", () => {
  const [one, two] = [smallTrace("one"), smallTrace("two")];
  for (const [options, words] of [
    [["-o", join(folder, "none.html")], /needs the trace/],
    [[one, two, "-o", join(folder, "both.html")], /need a folder/],
    [[join(folder, "missing.json"), "-o", join(folder, "none.html")], /missing\.json/],
  ]) {
    const said = render(...options);
    assert.ok(said.status === 1 || said.status === 2);
    assert.match(said.stderr, words);
  }
  assert.ok(!existsSync(join(folder, "none.html")) && !existsSync(join(folder, "both.html")));
});

/** The page of a lecture of one step, which shows this, in a file of its own. `files`: contents by name. */
function onePage(name, show, files) {
  const records = [
    { source: 0, path: `${name}.cpp`, language: "cpp", lines: ["int main() {", "  show();", "}"] },
    { function: 0, name: "main", source: 0, span: [1, 1, 3, 2] },
    { site: 0, function: 0, span: [2, 3, 2, 10], kind: "hook" },
    { stack: 0, function: 0 },
    { at: 0, in: 0, enter: 1, show },
    { end: "return", steps: 1 },
  ];
  mkdirSync(join(folder, `${name}.assets`), { recursive: true });
  for (const [file, content] of Object.entries(files)) writeFileSync(join(folder, `${name}.assets`, file), content);
  writeFileSync(join(folder, `${name}.json`), JSON.stringify({ format: "lectern-trace/1", lecture: name, profile: { name: "cpu" }, records }));
  const page = join(folder, `${name}.html`);
  const said = render(join(folder, `${name}.json`), "-o", page);
  assert.equal(said.status, 0, said.stderr);
  return page;
}

test("a video and the picture before it are in it, each under its name", async () => {
  const file = onePage("clip", [{ kind: "video", src: "clip.webm", alt: "A clip", poster: "first.svg" }], {
    "clip.webm": Buffer.from("1a45dfa3", "hex"),
    "first.svg": `<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"/>`,
  });
  const [tag] = /<video [^>]*>/.exec(readFileSync(file, "utf8"));
  for (const attribute of ["src", "poster", "data-file", "data-poster"]) assert.equal(tag.split(` ${attribute}="`).length, 2, attribute);
  const page = await openPage(pathToFileURL(file).href);
  const [poster, kept] = await page.$eval("video", (video) => [video.poster, window.lecternShown.get(video.dataset.poster)]);
  assert.ok(poster.startsWith("data:image/svg+xml"));
  assert.equal(kept, poster);
  await page.context().close();
});

test("a file that is linked twice is in it once, and each link keeps it under its name", async () => {
  const show = [{ kind: "exercise", markdown: "Why?", starter: "s.cpp" }, { kind: "text", markdown: "[one](s.cpp) and [two](s.cpp)" }];
  const file = onePage("links", show, { "s.cpp": "int start;\n" });
  const html = readFileSync(file, "utf8");
  assert.equal(html.split(Buffer.from("int start;\n").toString("base64")).length, 2, "once in the text");
  for (const [tag] of html.matchAll(/<a [^>]*>/g)) assert.ok((tag.match(/ download/g) ?? []).length <= 1, tag);
  const page = await open(file);
  const links = () => page.evaluate(() => [...document.querySelectorAll('a[href^="data:"]')].map((link) => [link.textContent, link.download, atob(link.href.split(",")[1])]));
  const expected = [["s.cpp", "s.cpp", "int start;\n"], ["one", "s.cpp", "int start;\n"], ["two", "s.cpp", "int start;\n"]];
  assert.deepEqual(await links(), expected);
  assert.equal(await page.evaluate(() => [...window.lecternFiles.keys()].includes("assets/s.cpp")), false, "it is not packed once more");
  await expectAlone(page);
  await page.context().close();
});
