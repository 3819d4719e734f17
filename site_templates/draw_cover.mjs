// Draws an SVG as PNG, for `lectern render`: of covers, since other sites show no SVG beside a link.
//
//   node draw_cover.mjs SVG PNG
//
// The picture has the cover's shape and at most 1200 × 630 pixels, on white. The SVG is data of others: resvg reads no files, no
// addresses and runs no scripts. Its text is set in the fonts beside this file.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { initWasm, Resvg } from "@resvg/resvg-wasm";

const width = 1200;
const height = 630;
const at = (name) => new URL(name, import.meta.url);

/** Of a colour for each theme, which resvg does not know, the light one. */
const light = (svg) => svg.replace(/light-dark\(\s*((?:[^(),]|\([^()]*\))*),(?:[^()]|\([^()]*\))*\)/g, "$1");

await initWasm(readFileSync(at("resvg.wasm")));
const font = {
  fontBuffers: readdirSync(at(".")).filter((name) => name.endsWith(".ttf")).map((name) => readFileSync(at(name))),
  defaultFontFamily: "Inter",
};
const svg = light(readFileSync(process.argv[2], "utf8"));
const natural = new Resvg(svg);
const fitTo = natural.width * height > natural.height * width ? { mode: "width", value: width } : { mode: "height", value: height };
writeFileSync(process.argv[3], new Resvg(svg, { fitTo, font, background: "#fff" }).render().asPng());
