// The browser of tests and benchmarks: Chromium without windows.
//
// LECTERN_CHROMIUM  the browser, if it is not the first of those below

import { existsSync } from "node:fs";
import { createRequire } from "node:module";

const { chromium } = createRequire(new URL("../../site_templates/package.json", import.meta.url))("playwright-core");
const found = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"].find((path) => existsSync(path));

export const launchBrowser = (more = []) =>
  chromium.launch({
    executablePath: process.env.LECTERN_CHROMIUM ?? found,
    args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", ...more],
  });
