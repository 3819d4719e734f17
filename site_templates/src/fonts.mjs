// The fonts that the site ships, as @font-face rules, with fallbacks of the same widths and heights.
//
// The fallbacks are the three metric families that nearly every system has under one name or another, stretched to the
// fonts' measures. With script the page waits a moment for the fonts of every page or does without them (font_gate.ts).

import { readFile } from "node:fs/promises";
import { join } from "node:path";

const families = [
  {
    name: "Source Serif 4 Variable", folder: "source-serif-4", weights: "200 900", italic: true,
    fallback: "Source Serif Fallback", locals: ["Times New Roman", "Liberation Serif", "Tinos"],
    adjust: 118.5, ascent: 1.036, descent: 0.335,
  },
  {
    name: "Inter Variable", folder: "inter", weights: "100 900", italic: false,
    fallback: "Inter Fallback", locals: ["Arial", "Liberation Sans", "Arimo"],
    adjust: 106.9, ascent: 0.96875, descent: 0.2412,
  },
  {
    name: "JetBrains Mono Variable", folder: "jetbrains-mono", weights: "100 800", italic: true,
    fallback: "JetBrains Mono Fallback", locals: ["Courier New", "Liberation Mono", "Cousine"],
    adjust: 100, ascent: 1.02, descent: 0.3,
  },
];
const subsets = ["latin", "latin-ext", "greek"];

/** Returns the rules, the font files to copy, under the names that the rules use, and the faces of every page. */
export async function fontFaces(packages) {
  const rules = [];
  const files = [];
  const everywhere = [];
  for (const family of families) {
    const ranges = JSON.parse(await readFile(join(packages, family.folder, "unicode.json"), "utf8"));
    for (const style of family.italic ? ["normal", "italic"] : ["normal"]) {
      for (const subset of subsets) {
        const file = `${family.folder}-${subset}-wght-${style}.woff2`;
        files.push({ file: join(packages, family.folder, "files", file), name: file });
        if (subset === "latin") {
          everywhere.push({ family: family.name, file, style, weight: family.weights, unicodeRange: ranges[subset] });
        }
        // Other letters are a family of their own, after this one: looking for a letter among faces that are still to be loaded,
        // Chromium asks the system for fonts that nothing is set in.
        const name = subset === "latin" ? family.name : family.name.replace("Variable", "More");
        rules.push(
          `@font-face{font-family:"${name}";font-style:${style};font-weight:${family.weights};font-display:swap;` +
            `src:url(fonts/${file}) format("woff2");unicode-range:${ranges[subset]}}`,
        );
      }
    }
    const percent = (measure) => `${((100 * measure) / (family.adjust / 100)).toFixed(2)}%`;
    rules.push(
      `@font-face{font-family:"${family.fallback}";src:${family.locals.map((local) => `local("${local}")`).join(",")};` +
        `size-adjust:${family.adjust}%;ascent-override:${percent(family.ascent)};descent-override:${percent(family.descent)};` +
        `line-gap-override:0%}`,
    );
  }
  return { css: rules.join("\n"), files, everywhere };
}
