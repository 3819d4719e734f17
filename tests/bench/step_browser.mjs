// How long a step takes in the browser, and how soon the first one is there.
//
//   node tests/bench/step_browser.mjs TEMPLATES [STEPS…]      TEMPLATES: made by site_templates/build.mjs
//
// A step's time is what the main thread spends on it: the key's handler, and the drawing with its style and layout.

import { createRequire } from "node:module";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { writeSyntheticPage } from "./synthetic_page.mjs";

const require = createRequire(new URL("../../site_templates/package.json", import.meta.url));
const { chromium } = require("playwright-core");

const [templates, ...counts] = process.argv.slice(2);
if (!templates) {
  console.error("usage: node tests/bench/step_browser.mjs TEMPLATES [STEPS…]");
  process.exit(2);
}
const browser = await chromium.launch({
  executablePath: process.env.LECTERN_CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update"],
});
console.log(`Chromium ${browser.version()}`);
for (const steps of counts.length > 0 ? counts.map(Number) : [2000, 50000]) {
  const folder = mkdtempSync(join(tmpdir(), "lectern-bench-"));
  const url = pathToFileURL(writeSyntheticPage({ templates, folder, steps })).href;
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
  await page.goto(url);
  await page.waitForFunction(() => performance.getEntriesByName("lectern-ready").length > 0);
  const [data, ready, painted] = await page.evaluate(() =>
    ["lectern-data", "lectern-ready", "first-contentful-paint"].map((name) => performance.getEntriesByName(name)[0]?.startTime ?? 0),
  );
  const times = await page.evaluate(async (presses) => {
    const result = [];
    for (let i = 0; i < presses; ++i) {
      const key = i % 10 === 9 ? "ArrowLeft" : i % 10 === 5 ? "ArrowDown" : "ArrowRight";
      // The page draws in an animation frame between our two callbacks; reading a box forces style and layout.
      let drawing = 0;
      requestAnimationFrame(() => (drawing = performance.now()));
      const pressed = performance.now();
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
      const handled = performance.now();
      await new Promise((resolve) => requestAnimationFrame(resolve));
      document.body.getBoundingClientRect();
      result.push(handled - pressed + performance.now() - drawing);
    }
    return result;
  }, 1000);
  times.sort((a, b) => a - b);
  const at = (part) => times[Math.floor(part * (times.length - 1))].toFixed(2);
  console.log(
    `${steps} steps: ready after ${ready.toFixed(0)} ms (of which the script ${(ready - data).toFixed(0)}), ` +
      `painted after ${painted.toFixed(0)} ms; a step: median ${at(0.5)} ms, p95 ${at(0.95)} ms, max ${at(1)} ms`,
  );
  await page.close();
  rmSync(folder, { recursive: true });
}
await browser.close();
