// A lecture with every kind of block: figures, a video with captions, texts in two languages, code, output, a table, formulas.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const svg = (colour) => `<svg xmlns="http://www.w3.org/2000/svg" width="120" height="60"><rect width="120" height="60" fill="${colour}"/></svg>`;
export const cues = ["One & two", "Three\nlines"];
const webvtt = "WEBVTT\n\nNOTE not shown\n\n1\n00:00.000 --> 00:01.500 line:0\n<v Ada>One &amp; two</v>\n\n00:01.500 --> 00:03.000\nThree\nlines\n";

const graph = { kind: "graph", nodes: [{ id: "x" }, { id: "y" }], edges: [{ from: "x", to: "y" }], caption: "A graph" };
export const plot = { mark: "bar", data: { values: [{ a: 1, b: 2 }, { a: 2, b: 3 }] }, encoding: { x: { field: "a", type: "ordinal" }, y: { field: "b", type: "quantitative" } } };

/** What each line of main shows. */
const shows = [
  [{ kind: "front", title: "Media", date: "2026-01-31", description: "Every kind of block." },
    { kind: "text", markdown: "# Begin\n\nInline $a^2$ here.\n\n```cpp\nint x = 1;\n```\n\n$$\\frac{a}{b}$$\n\n![In the text](one.svg)" }],
  [{ kind: "image", src: "one.svg", alt: "The first", caption: "Figure *one*" }],
  [{ kind: "image", src: "two.svg", alt: "The second" }],
  [graph],
  [{ kind: "plot", spec: plot, alt: "Two bars" }],
  [{ kind: "video", src: "clip.webm", alt: "A clip", caption: "It moves", poster: "one.svg", captions: [{ src: "clip.vtt", lang: "en", label: "English" }, { src: "clip.fr.vtt", lang: "fr" }] }],
  [{ kind: "text", markdown: "## Words\n\nHello", lang: "en" }, { kind: "text", markdown: "## Mots\n\nBonjour", lang: "fr" }],
  [{ kind: "text", markdown: "Only in English", lang: "en" }, { kind: "text", markdown: "Nur deutsch", lang: "de" }],
  [{ kind: "text", markdown: "Le mot juste", lang: "fr" }],
  [{ kind: "callout", type: "note", markdown: "A note", lang: "en" }, { kind: "callout", type: "note", markdown: "ملاحظة", lang: "ar" }],
  [{ kind: "table", header: ["x", "at $x$"], rows: [["1", "a b"], ["2", "$c$"]], caption: "Values" }],
  [{ kind: "system", command: "echo", text: "printed\n" }],
  [{ kind: "value", name: "v", value: { type: "std::vector<int>", items: [1, 2, 3] } }],
  [{ kind: "verbatim", text: "as it is", lang: "en" }, { kind: "verbatim", text: "tel quel", lang: "fr" }],
  [{ kind: "tabs", tabs: [{ title: "One", markdown: "a tab" }, { title: "Two", markdown: "another" }], lang: "en" },
    { kind: "tabs", tabs: [{ title: "Un", markdown: "un onglet" }, { title: "Deux", markdown: "un autre" }], lang: "fr" }],
  [{ kind: "note", markdown: "Say this slowly", lang: "en" }, { kind: "note", markdown: "Dites-le lentement", lang: "fr" }],
];

const lines = ["int main() {", ...shows.map((_, i) => `  show_${i}();`), "  int x = 1;  // @inspect x", "  x += 2;", "}"];
const last = lines.length;

function trace() {
  const statements = shows.length + 2;
  const records = [
    { source: 0, path: "media.cpp", language: "cpp", lines },
    { function: 0, name: "main", source: 0, span: [1, 1, last, 2] },
    ...Array.from({ length: statements }, (_, i) => ({ site: i, function: 0, span: [i + 2, 3, i + 2, 14], ...(i < shows.length ? { kind: "hook" } : {}) })),
    { stack: 0, function: 0 },
    ...shows.map((show, i) => ({ at: i, in: 0, ...(i === 0 ? { enter: 1 } : {}), show })),
    { at: shows.length, in: 0, vars: { x: 1 } },
    { at: shows.length + 1, in: 0, vars: { x: 3 } },
    { end: "return", steps: statements },
  ];
  return { format: "lectern-trace/1", lecture: "media", profile: { name: "cpu", threads: 1, compiler: "c", libraries: {} }, records };
}

const settings = 'title = "A course"\ndescription = "Lectures in two languages."\nbase_url = "http://127.0.0.1/"\nlanguages = ["en", "fr"]\n';

let made;

/** The folder of the site, and what the renderer said. Needs no site that was built before. */
export function mediaSite() {
  if (made) return made;
  const folder = mkdtempSync(join(tmpdir(), "lectern media "));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const assets = join(folder, "media.assets");
  mkdirSync(assets);
  writeFileSync(join(assets, "one.svg"), svg("#248"));
  writeFileSync(join(assets, "two.svg"), svg("#842"));
  writeFileSync(join(assets, "clip.webm"), Buffer.from([0x1a, 0x45, 0xdf, 0xa3]));
  writeFileSync(join(assets, "clip.vtt"), webvtt);
  writeFileSync(join(assets, "clip.fr.vtt"), webvtt);
  writeFileSync(join(folder, "media.json"), JSON.stringify(trace()));
  writeFileSync(join(folder, "site.toml"), settings);
  const site = join(folder, "site");
  const { status, stderr } = spawnSync(process.env.LECTERN_BIN, ["render", join(folder, "media.json"), "--settings", join(folder, "site.toml"), "-o", site], { encoding: "utf8" });
  assert.equal(status, 0, stderr);
  return (made = { folder, site, stderr });
}

export async function openMedia(options = {}) {
  const { openPage } = await import("./support.mjs");
  return openPage(options.url ?? pathToFileURL(join(mediaSite().site, "media/index.html")).href, options);
}
