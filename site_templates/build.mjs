// Makes OUTDIR what `lectern render` makes pages with: the *.mustache files, Vega-Lite's schema, what draws plots, and in
// OUTDIR/assets what the pages load: scripts, the style sheet, fonts, KaTeX's style, and the licences of all that is bundled; in
// OUTDIR/single what pages in single files have besides; in OUTDIR/cover what draws covers.
//
//   node build.mjs OUTDIR [--katex FOLDER] [--katex-fonts FOLDER] [--katex-license FILE] [--mpl-license FILE]

import { build } from "esbuild";
import { copyFile, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { fontFaces, pictureFonts, singleFaces } from "./src/fonts.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    katex: { type: "string", default: "/usr/share/javascript/katex" },
    "katex-fonts": { type: "string", default: "/usr/share/fonts/truetype/katex" },
    "katex-license": { type: "string", default: "/usr/share/doc/libjs-katex/copyright" },
    "mpl-license": { type: "string", default: "/usr/share/common-licenses/MPL-2.0" },
  },
});
if (positionals.length !== 1) {
  console.error("usage: node build.mjs OUTDIR [--katex FOLDER] [--katex-fonts FOLDER] [--katex-license FILE] [--mpl-license FILE]");
  process.exit(2);
}
const assets = join(positionals[0], "assets");
const fonts = join(assets, "fonts");
await rm(fonts, { recursive: true, force: true });
await mkdir(fonts, { recursive: true });

/** Classic scripts: modules do not load from file://. */
const classic = {
  bundle: true,
  format: "iife",
  minify: true,
  target: "es2020",
  charset: "utf8",
  legalComments: "none",
};

const faces = await fontFaces(join(here, "node_modules/@fontsource-variable"));

async function bundleScripts() {
  const entryPoints = ["viewer", "theme", "home", "compare", "beside", "speaker", "calculators", "search", "unpack"].map((name) => join(here, "src", `${name}.ts`));
  await build({ ...classic, entryPoints, outdir: assets, define: { __FACES__: JSON.stringify(faces.everywhere) } });
}

/** What opens a page in a single file, and its smaller fonts. */
async function makeSingle() {
  const single = join(positionals[0], "single");
  await mkdir(single, { recursive: true });
  await build({ ...classic, entryPoints: [join(here, "src/open.ts")], outdir: single });
  const { css, fonts } = await singleFaces(join(here, "node_modules/@fontsource-variable"));
  await writeFile(join(single, "fonts.css"), css);
  for (const { name, bytes } of fonts) await writeFile(join(single, name), bytes);
  await writeLicences(join(single, "licenses.txt"), ["fzstd"]);
}

async function makeCover() {
  const cover = join(positionals[0], "cover");
  const resvg = join(here, "node_modules/@resvg/resvg-wasm");
  await mkdir(cover, { recursive: true });
  await build({ entryPoints: [join(here, "draw_cover.mjs")], outdir: cover, outExtension: { ".js": ".mjs" }, bundle: true, format: "esm", platform: "node" });
  await copyFile(join(resvg, "index_bg.wasm"), join(cover, "resvg.wasm"));
  for (const { name, bytes } of await pictureFonts(join(here, "node_modules/@fontsource-variable"))) await writeFile(join(cover, name), bytes);
  await writeLicences(join(cover, "licenses.txt"), [], [["@resvg/resvg-wasm, https://github.com/thx/resvg-js", options["mpl-license"]]]);
}

/** Parts of Vega that no specification of Vega-Lite leads to. */
const unused = ["vega-crossfilter", "vega-force", "vega-hierarchy", "vega-label", "vega-wordcloud"];

/** Bundles what draws plots. Returns the packages that are in it. */
async function bundlePlots(entry, outfile) {
  const nothing = join(here, "src/plot/nothing.ts");
  const { metafile } = await build({
    ...classic,
    entryPoints: [join(here, "src/plot", entry)],
    outfile,
    alias: Object.fromEntries(unused.map((name) => [name, nothing])),
    absWorkingDir: here,
    metafile: true,
  });
  const packages = Object.keys(metafile.inputs).map((file) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1]);
  return [...new Set(packages.filter(Boolean))].sort();
}

/** Without the descriptions, which are two thirds of it. */
async function copySchema() {
  const schema = JSON.parse(await readFile(join(here, "node_modules/vega-lite/build/vega-lite-schema.json"), "utf8"));
  const lean = JSON.stringify(schema, (name, value) => (name === "description" && typeof value === "string" ? undefined : value));
  await writeFile(join(positionals[0], "vega-lite-schema.json"), lean);
}

async function bundleStyle() {
  for (const { name, bytes } of faces.files) await writeFile(join(fonts, name), bytes);
  await build({
    entryPoints: ["style", "beside", "speaker"].map((name) => join(here, `src/css/${name}.css`)),
    outdir: assets,
    bundle: true,
    minify: true,
    charset: "utf8",
    target: "chrome111",
    plugins: [
      {
        // fonts.css is made of the packages' own tables of character ranges.
        name: "fonts",
        setup(plugin) {
          plugin.onResolve({ filter: /fonts\.css$/ }, () => ({ path: "fonts.css", namespace: "fonts" }));
          plugin.onResolve({ filter: /^fonts\// }, ({ path }) => ({ path, external: true }));
          plugin.onLoad({ filter: /.*/, namespace: "fonts" }, () => ({ contents: faces.css, loader: "css" }));
        },
      },
    ],
  });
}

/** KaTeX's own style sheet, with woff2 only. */
async function copyKatex() {
  const css = await readFile(join(options.katex, "katex.min.css"), "utf8");
  const lean = css.replace(/src:[^;}]*?(url\([^)]*\.woff2\) format\(["']?woff2["']?\))[^;}]*/g, "src:$1");
  await writeFile(join(assets, "katex.css"), lean);
  for (const file of await readdir(options["katex-fonts"])) {
    if (file.endsWith(".woff2")) await copyFile(join(options["katex-fonts"], file), join(fonts, file));
  }
}

/** Those of all pages, and of these packages. */
async function writeLicences(outfile, packages, others = []) {
  const parts = [["Lectern", join(here, "../LICENSE")]];
  const fontPackages = ["inter", "jetbrains-mono", "source-serif-4"].map((name) => `@fontsource-variable/${name}`);
  for (const name of [...fontPackages, ...packages]) parts.push([name, await licenceOf(join(here, "node_modules", name))]);
  parts.push(["KaTeX: style sheet, fonts, and the mathematics that it typeset", options["katex-license"]], ...others);
  const texts = await Promise.all(
    parts.map(async ([title, file]) => `${title}\n${"=".repeat(title.length)}\n\n${(await readFile(file, "utf8")).trim()}\n`),
  );
  await writeFile(outfile, texts.join("\n\n"));
}

async function licenceOf(folder) {
  const file = (await readdir(folder)).find((name) => /^licen[cs]e/i.test(name));
  if (!file) throw new Error(`${folder} has no licence to ship`);
  return join(folder, file);
}

async function copyTemplates() {
  for (const file of await readdir(here)) {
    if (file.endsWith(".mustache")) await copyFile(join(here, file), join(positionals[0], file));
  }
  await copyFile(join(here, "icon.svg"), join(assets, "icon.svg"));
}

await Promise.all([
  copyTemplates(), bundleScripts(), bundleStyle(), copyKatex(), copySchema(), makeSingle(), makeCover(),
  bundlePlots("draw.ts", join(assets, "plots.js")).then((packages) => writeLicences(join(assets, "licenses.txt"), ["minisearch", "fzstd", ...packages])),
  bundlePlots("still.ts", join(positionals[0], "draw_plots.bundle.js")),
  copyFile(join(here, "draw_plots.mjs"), join(positionals[0], "draw_plots.mjs")),
]);
