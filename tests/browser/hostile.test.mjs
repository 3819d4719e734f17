// Traces whose every string means harm. They are rendered and opened; each panel is looked into; nothing may happen.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { goTo, openPage, press, temporaryFolder } from "./support.mjs";

assert.ok(process.env.LECTERN_BIN, "LECTERN_BIN is not set: it names the program that renders");
const folder = temporaryFolder("hostile");

const schema = JSON.parse(readFileSync(new URL("../../traces/lectern-trace-1.schema.json", import.meta.url), "utf8"));

const script = [
  "<script>window.intruder=1;alert(1)</script>",
  "</script><script>alert(2)</script>",
  "\"><img src=x onerror=alert(3)>",
  "' onmouseover='alert(4)' autofocus onfocus='alert(5)",
  "<svg onload=alert(6)>",
  "]]>--><iframe srcdoc='<script>parent.alert(7)</script>'></iframe>",
  "<style>*{background:url(https://intruder.example/s)}</style><link rel=stylesheet href=https://intruder.example/l>",
  "<meta http-equiv=refresh content='0;url=https://intruder.example/'><base href=https://intruder.example/>",
  "{{{body}}}{{#x}} ${alert(8)} &lt;script&gt; &#60;script&#62;",
  "[a](javascript:alert(9)) ![b](https://intruder.example/i.png) <a href=javascript:alert(10)>c</a>",
  "$\\href{javascript:alert(11)}{x}$ $\\includegraphics{https://intruder.example/k.png}$",
  "\u001b]8;;javascript:alert(12)\u0007link\u001b]8;;\u0007 \u001b[31mred\u001b[2J",
].join(" ");

const turning = ["\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069"];
const bidi = `a${turning.join("b")}c \u0000\u0001\u0007\u001b\u007f\u0085\u2028\u2029\u200b\ue0001\ue001 אבג`;

const addresses = [
  "javascript:alert(1)", "JaVaScRiPt:alert(1)", "java\tscript:alert(1)", "java\nscript:alert(1)", " javascript:alert(1)",
  "\u0001javascript:alert(1)", "javascript&#58;alert(1)", "javascript&colon;alert(1)", "data:text/html,<script>alert(1)</script>",
  "DATA:image/svg+xml,<svg onload=alert(1)>", "vbscript:msgbox(1)", "file:///etc/passwd", "//intruder.example/x", "\\\\intruder.example\\x",
  "/etc/passwd", "blob:https://intruder.example/x", "ws://intruder.example/", "view-source:javascript:alert(1)", "https:javascript:alert(1)",
];
const images = [
  "../secret.svg", "../../../../../../etc/passwd", "/etc/passwd", "..\\secret.svg", "a/../../secret.svg", "./evil.svg", "https://intruder.example/i.png",
  "//intruder.example/i.png", "data:image/svg+xml,<svg onload=alert(1)>", "file:///etc/passwd", "evil.svg", "\" onerror=\"alert(1)",
];

/** Every rendering that the format has, with `evil` as every text and `url` and `src` as addresses. */
function renderings(evil, url, src) {
  const value = { type: evil, fields: [[evil, { type: evil, value: evil }], [evil, { text: evil, type: evil }]] };
  return [
    { kind: "front", title: evil, date: evil, authors: [evil, evil], tags: [evil], description: evil, course: evil, author_urls: { [evil]: url },
      series: evil, subseries: evil, categories: [evil, evil], cover: { src, alt: evil, caption: evil }, lang: evil, license: { name: evil, url },
      goals: [evil, evil], prerequisites: [evil] },
    { kind: "text", markdown: evil },
    { kind: "text", markdown: evil, lang: evil },
    { kind: "text", markdown: evil, lang: "en" },
    { kind: "text", markdown: evil, lang: "ar" },
    { kind: "text", markdown: `# ${evil}\n\n- [${evil}](<${url}>)\n\n![${evil}](<${src}>)\n\n| ${evil} |\n|---|\n| ${evil} |\n\n\`\`\`${evil}\n${evil}\n\`\`\`\n\n$${evil}$` },
    { kind: "verbatim", text: evil, caption: evil, lang: evil },
    { kind: "verbatim", text: evil, lang: "ar" },
    { kind: "image", src, alt: evil, caption: evil, width: 10 },
    { kind: "video", src, alt: evil, caption: evil, poster: src, captions: [{ src, lang: evil, label: evil }, { src: "evil.vtt", lang: evil, label: evil }] },
    { kind: "link", url, title: evil, label: evil, authors: [evil], organization: evil, date: evil, description: evil, notes: evil },
    { kind: "link", url, title: evil },
    { kind: "link", url, title: evil, authors: [evil], key: evil },
    { kind: "link", function: evil },
    { kind: "term", name: evil, definition: evil },
    { kind: "term", name: evil },
    { kind: "plot", spec: { mark: evil, data: { url }, [evil]: evil }, caption: evil },
    { kind: "graph", nodes: [{ id: evil, label: evil }, { id: "b" }], edges: [{ from: evil, to: "b", label: evil }], caption: evil },
    { kind: "table", header: [evil, `[a](<${url}>)`], rows: [[evil, 1], [evil, value]], caption: evil },
    { kind: "card", title: evil, markdown: evil, url },
    { kind: "callout", type: "warning", title: evil, markdown: evil },
    { kind: "callout", type: evil, title: evil, markdown: evil },
    { kind: "tabs", tabs: [{ title: evil, markdown: evil }, { title: evil, markdown: evil }], lang: evil },
    { kind: "tabs", tabs: [{ title: evil, markdown: evil }, { title: evil, markdown: evil }], lang: "ar" },
    { kind: "calculator", title: evil, module: src, function: evil, caption: evil,
      inputs: [{ name: evil, kind: evil, label: evil, unit: evil, value: evil, choices: [evil] }, { name: evil, kind: "choice", value: evil, choices: [evil, evil] },
        { name: evil, kind: "text", value: evil, lines: 3 }, { name: evil, kind: "number", value: evil, min: 1, max: 9, hidden: true }],
      presets: [{ name: evil, values: { [evil]: evil } }],
      result: {
        problems: [{ input: evil, text: evil }], quantities: [{ label: evil, text: evil, value: 1, note: evil }],
        bars: [{ label: evil, segments: [{ label: evil, text: evil, value: 1 }], limits: [{ label: evil, text: evil, value: 2 }] }],
        drawings: [{ alt: evil, width: 9, height: 9, shapes: [{ kind: evil, points: [1, 2], text: evil, anchor: evil }, { kind: "label", points: [1, 2], text: evil }] }],
        cells: [{ label: evil, cells: [{ text: evil, title: evil }] }], tables: [{ header: [evil], rows: [[evil]] }], notes: [evil],
      } },
    { kind: "exercise", markdown: evil, answer: evil, answer_from: evil, starter: src },
    { kind: "note", markdown: evil, lang: evil },
    { kind: "note", markdown: evil, lang: "ar" },
    { kind: "system", command: evil, text: evil, status: 1 },
    { kind: "value", name: evil, value },
    { kind: evil },
  ];
}

/** Every kind of value. */
function variables(evil) {
  const tensor = { type: evil, dtype: "float32", shape: [2, 2], strides: [2, 1], device: evil, storage: 1, storage_bytes: 16, data: [1.5, { float: "nan" }, 2.5, { float: "-inf" }] };
  return {
    [evil]: { type: evil, value: evil },
    cut: { type: evil, value: evil, size: 1e6 },
    bytes: { bytes: evil },
    float: { float: evil },
    items: { type: evil, items: [evil, 1, { type: evil, to: null }, { ref: 1 }, { cut: true }], size: 9, id: 1 },
    grid: { type: evil, items: [{ type: evil, items: [1, 2] }, { type: evil, items: [3, 4] }] },
    entries: { type: evil, entries: [[evil, evil]] },
    fields: { type: evil, fields: [[evil, evil]] },
    enumerator: { type: evil, text: evil, value: 1 },
    quantity: { type: evil, quantity: 1.5, unit: evil },
    pointer: { type: evil, to: { type: evil, value: evil } },
    opaque: { type: evil },
    address: { type: evil, address: evil },
    error: { type: evil, error: evil },
    tensor,
    summary: { ...tensor, shape: [99, 99], indices: [[0, 98], [0, 98]], stats: { min: 1, max: 2, mean: 1.5, std: 0.5, nan: 2, inf: 1 } },
    oddTensor: { ...tensor, dtype: evil },
    storage: { type: evil, storage: 1, storage_bytes: 16, device: evil },
  };
}

/** A trace whose texts are all `evil`: what the program wrote, ran, showed, claimed, printed and ended with. */
function trace(name, evil, { urls = ["https://example.org/"], srcs = ["evil.svg"] } = {}) {
  const lines = ["int main() {", "  show();", "  int x = 1;", "  assert(x);", "  call();", `  // ${evil.replaceAll("\n", " ")}`, `  "${evil.replaceAll("\n", " ")}";`, "}"];
  const shows = urls.flatMap((url, i) => renderings(evil, url, srcs[i % srcs.length]));
  const more = { vars: variables(evil), out: evil, err: evil, out_cut: 3, err_cut: 3, claims: [{ ok: true, text: evil, op: evil, left: evil, right: { type: evil, value: evil } }, { ok: false, text: evil, threw: evil }] };
  const records = [
    { source: 0, path: evil, language: "cpp", lines },
    { source: 1, path: evil, language: evil, encoding: evil, lines: [evil, evil] },
    { function: 0, name: evil, source: 0, span: [1, 1, 8, 2] },
    { function: 1, name: evil, source: 1, span: [1, 1, 2, 2], untraced: evil },
    { site: 0, function: 0, span: [2, 3, 2, 10], kind: "hook" },
    { site: 1, function: 0, span: [3, 3, 3, 13], volatile: [evil], tolerance: [{ names: [evil], rel: 0.5, abs: 0.5 }], body: 1e9, locals: { [evil]: 0, items: -1, tensor: 1e9 } },
    { site: 2, function: 0, span: [4, 3, 4, 13], kind: "claim" },
    { site: 3, function: 0, span: [5, 3, 5, 10] },
    { site: 4, function: 1, span: [1, 1, 1, 2] },
    { stack: 0, function: 0, name: evil },
    { at: 0, in: 0, enter: 1, args: variables(evil), show: shows },
    { at: 1, in: 0, ...more },
    { at: 2, in: 0, ...more, clear: [evil, "items"] },
    { stack: 1, function: 1, name: evil, parent: 0, call: 3 },
    { at: 3, in: 0, show: renderings(evil, urls[0], srcs[0]) },
    { at: 4, in: 1, enter: 1, ...more, ran: [1], memory: { [evil]: [1, 2], [`cuda${evil}`]: [1, 2] }, flops: 1, bytes: 1, ns: 1, collectives: [{ name: evil, sequence: 1, sent: 1, received: 1, from: 0, to: 1 }] },
    { at: 3, in: 0, after: true, ended: { by: "exception", type: evil, what: evil, signal: evil, place: evil } },
    { end: "exception", status: 1, signal: evil, steps: 6, out: evil, err: { bytes: "ff3c623e" } },
  ];
  // The GPU's name leads to the page, by way of its memory.
  const ceilings = { [`cuda${evil}`]: { flops: { float32: 1e12, [evil]: 1e308 }, bytes: 1e11 }, [evil]: { flops: { float32: -1 }, bytes: 0 } };
  return { format: "lectern-trace/1", lecture: name, profile: { name: evil, threads: 1, compiler: evil, device: evil, libraries: { [evil]: evil }, ceilings, world_size: 2 }, [evil]: evil, records };
}

/** Writes and renders a trace. Returns what the renderer said. */
function render(name, text) {
  mkdirSync(join(folder, `${name}.assets`), { recursive: true });
  writeFileSync(join(folder, `${name}.assets`, "evil.svg"),
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="alert(1)"><script>alert(2)</script><image href="https://intruder.example/i.png"/><a href="javascript:alert(3)"><rect width="9" height="9"/></a></svg>');
  writeFileSync(join(folder, `${name}.assets`, "evil.vtt"), `WEBVTT\n\n00:01.000 --> 00:02.000\n${script.replaceAll("-->", "")}\n`);
  writeFileSync(join(folder, "secret.svg"), "<svg/>");
  writeFileSync(join(folder, `${name}.json`), typeof text === "string" || Buffer.isBuffer(text) ? text : JSON.stringify(text));
  if (text.profile?.world_size === 2) writeFileSync(join(folder, `${name}.rank1.json`), JSON.stringify({ ...text, profile: { ...text.profile, rank: 1 } }));
  return spawnSync(process.env.LECTERN_BIN, ["render", join(folder, `${name}.json`), "-o", join(folder, "site")], { encoding: "utf8", timeout: 60_000 });
}

/** Goes through the whole page as a curious reader would, and looks into everything at some steps. */
async function explore(page, steps, views) {
  for (const step of steps) {
    await goTo(page, step);
    for (const frame of await page.locator("#stack button").all()) await frame.click();
    await page.evaluate(() => document.querySelectorAll('#vars button.b[aria-expanded="false"]').forEach((each) => each.click()));
    for (const key of ["p", "Escape", "b", "w", "c", "m", "q", "i", "Escape", "q"]) await press(page, key);
    await goTo(page, step);
    await page.evaluate(() => document.querySelectorAll("details").forEach((each) => (each.open = true)));
    await page.evaluate(() => {
      for (const element of document.querySelectorAll("[tabindex], a, button, .chip")) {
        element.dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
        element.dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
      }
    });
  }
  await page.locator(".run-costs").hover();
  await page.evaluate(() => document.querySelectorAll(".costs button").forEach((each) => each.click()));
  for (const key of views) await press(page, key);
  await press(page, "?");
  await page.keyboard.press("Escape");
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  await page.waitForTimeout(200);
}

/** What in the page as the browser sees it could act. */
function findActive(page) {
  return page.evaluate(() => {
    const found = [];
    for (const element of document.querySelectorAll("*")) {
      for (const { name, value } of element.attributes) {
        if (name.startsWith("on") || ["srcdoc", "srcset", "formaction", "action", "ping", "background"].includes(name)) found.push(`${element.localName} ${name}=${value}`);
        if (["href", "src", "xlink:href", "poster"].includes(name)) {
          if (!URL.canParse(value, document.baseURI)) continue; // leads nowhere
          const { protocol } = new URL(value, document.baseURI);
          const local = protocol === "file:" && !value.startsWith("/") && !/^[a-z]+:/i.test(value);
          if (!local && !(element.localName === "a" && ["http:", "https:", "mailto:"].includes(protocol))) found.push(`${element.localName} ${name}=${value}`);
        }
      }
      if (["iframe", "object", "embed", "base", "style", "portal", "frame", "applet", "foreignObject", "animate", "set"].includes(element.localName)) found.push(element.localName);
      if (element.localName === "form" && element.parentElement.localName !== "dialog") found.push("a form");
      if (element.localName === "script" && !element.getAttribute("src")) found.push("a script in the page");
      if (element.localName === "meta" && element.httpEquiv && element.httpEquiv.toLowerCase() !== "content-security-policy") found.push("a meta element");
    }
    return found;
  });
}

async function expectNothingHappened(page) {
  assert.deepEqual(await findActive(page), []);
  assert.equal(await page.evaluate(() => window.intruder), undefined, "a script ran");
  assert.deepEqual(await page.evaluate(() => window.violations), [], "violations of the policy");
  assert.deepEqual(page.complaints, []);
  const inside = pathToFileURL(join(folder, "site")).href;
  for (const url of page.requests) assert.ok(url.startsWith(inside) || url.startsWith("data:"), `asked for ${url}`);
}

async function openLecture(name) {
  return openPage(pathToFileURL(join(folder, "site", name, "index.html")).href);
}

/** `steps`: those that have what the others have not. `views`: keys that show the page otherwise. */
function hostile(name, made, { look = async () => {}, steps = [0, 1, 2, 3, 4, 5], views = [..."rraanfeett"] } = {}) {
  test(name, async () => {
    const lecture = name.replaceAll(" ", "-");
    const said = render(lecture, made(lecture));
    assert.equal(said.status, 1, said.stderr); // one of its plots is none, which its page says
    const page = await openLecture(lecture);
    try {
      await explore(page, steps, views);
      await look(page);
      await expectNothingHappened(page);
      await goTo(page, 0);
      await press(page, "l");
      assert.match(await page.locator("#where b").textContent(), /^step 2 of 6/, "stepping still works");
    } finally {
      await page.context().close();
    }
    const home = await openPage(pathToFileURL(join(folder, "site", "index.html")).href, { script: false });
    assert.equal(await home.locator("script:not([src]), [onload], [onerror], iframe").count(), 0);
    for (const cover of await home.$$eval("main img", (all) => all.map((each) => each.getAttribute("src"))))
      assert.match(cover, /^[a-z-]+\/assets\/evil\.svg$/);
    await home.context().close();
  });
}

/** Names of the schema's fields that hold text or lists of it. */
function textFields(node, found = new Set()) {
  if (node === null || typeof node !== "object") return found;
  for (const [name, property] of Object.entries(node.properties ?? {})) {
    const text = JSON.stringify(property);
    if (/"type":"string"|"#\/\$defs\/text"/.test(text) && !("const" in property)) found.add(name);
  }
  for (const child of Object.values(node)) textFields(child, found);
  return found;
}

test("every text of the format is among those that mean harm", () => {
  const names = new Set();
  JSON.stringify(trace("all", "evil"), (name, value) => (names.add(name), value));
  const missing = [...textFields(schema)].filter((name) => !names.has(name));
  assert.deepEqual(missing, []);
});

hostile("script in every text", (name) => trace(name, script));
hostile("addresses of every scheme", (name) => trace(name, "a text", { urls: addresses, srcs: images }), { steps: [0, 3], look: async (page) => {
  assert.equal(existsSync(join(folder, "site", "secret.svg")), false, "nothing from outside of the assets is copied");
  for (const source of await page.$$eval("main img", (all) => all.map((each) => each.getAttribute("src"))))
    assert.equal(source, "assets/evil.svg");
} });
hostile("characters that turn and hide text", (name) => trace(name, bidi), { look: async (page) => {
  const turned = await page.evaluate((marks) => {
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (!marks.some((mark) => node.data.includes(mark))) continue;
      // Prose may hold them: they end with their block.
      if (!node.parentElement.closest(".slot, .prose, .box, .callout, h1, p, dd, figcaption")) found.push(node.parentElement.outerHTML.slice(0, 200));
    }
    return found;
  }, turning);
  assert.deepEqual(turned, []);
  assert.ok((await page.locator('.row.code:has-text("\\\\u{202E}")').count()) > 0, "code shows them");
} });
hostile("texts of a megabyte", (name) => {
  const made = trace(name, "a text");
  const long = "<b>$x$ [".repeat(1 << 17);
  made.records[10].show.push({ kind: "text", markdown: long }, { kind: "verbatim", text: long });
  made.records[11].vars.long = { type: "std::string", value: long };
  made.records[11].out = long;
  return made;
}, { steps: [1], views: [..."rr"] }); // it takes seconds to lay out
hostile("values of two hundred levels", (name) => {
  const made = trace(name, "a text");
  let deep = 1;
  for (let i = 0; i < 95; ++i) deep = { type: "T", items: [deep] };
  made.records[11].vars.deep = deep;
  made.records[10].show.push({ kind: "text", markdown: `${"> ".repeat(5000)}a\n\n${"[".repeat(5000)}\n\n$${"{".repeat(5000)}$` });
  return made;
}, { steps: [1] });

for (const [what, evil] of Object.entries({ script, bidi })) {
  test(`in a single file, ${what} in every text`, async () => {
    const name = `single-${what}`;
    render(name, trace(name, evil, { urls: addresses, srcs: images }));
    const file = join(folder, `${name}.html`);
    const said = spawnSync(process.env.LECTERN_BIN, ["render", "--single-file", join(folder, `${name}.json`), "-o", file], { encoding: "utf8", timeout: 60_000 });
    assert.equal(said.status, 1, said.stderr); // one of its plots is none
    const page = await openPage(pathToFileURL(file).href);
    await explore(page, [0, 3], [..."rraanfeett"]);
    // Its own scripts, styles and files are in it; links to files are for keeping them.
    const own = /^(style|a script in the page|(img|link|video|a) (src|href|poster)=data:image\/svg\+xml;base64,.*|track src=data:text\/vtt;base64,.*)$/;
    assert.deepEqual((await findActive(page)).filter((each) => !own.test(each)), []);
    assert.equal(await page.locator('a[href^="data:"]:not([download], .enlarge)').count(), 0);
    assert.equal(await page.locator("script").count(), 2);
    assert.ok((await page.locator("style").count()) <= 3, "those of the page, of its fonts, and of mathematics if it has any");
    assert.equal(await page.evaluate(() => window.intruder), undefined, "a script ran");
    assert.deepEqual(await page.evaluate(() => window.violations), [], "violations of the policy");
    assert.deepEqual(page.complaints, []);
    assert.deepEqual(page.requests.filter((url) => !url.startsWith("data:")), [pathToFileURL(file).href]);
    await page.context().close();
  });
}

test("what is no text, and what is nested too deeply, is refused", () => {
  const good = JSON.stringify(trace("refused", "TEXT"));
  const bad = {
    "bytes that are not UTF-8": [Buffer.concat([Buffer.from(good.slice(0, good.indexOf("TEXT"))), Buffer.from([0xff, 0xfe]), Buffer.from(good.slice(good.indexOf("TEXT")))]), "UTF-8"],
    "half a surrogate pair": [good.replace("TEXT", "\\ud800"), "surrogate"],
    "a control character": [good.replace("TEXT", "\u0001"), "control character"],
    "deep nesting": [good.replace('"TEXT"', "[".repeat(100_000) + "]".repeat(100_000)), "nested too deeply"],
    "a name that climbs": [good.replace('"refused"', '"../../outside"'), "cannot be a folder's"],
    "a number beyond numbers": [good.replace('"status":1', '"status":1e999'), "beyond the range of a double"],
  };
  for (const [name, [text, message]] of Object.entries(bad)) {
    const said = render("refused", text);
    assert.equal(said.status, 1, name);
    assert.match(said.stderr, /^lectern: .*refused\.json(:\d+)?: /, name);
    assert.ok(said.stderr.includes(message), `${name}: ${said.stderr.slice(0, 300)}`);
    assert.equal(existsSync(join(folder, "site", "refused")), false, name);
  }
});
