// What the browser tests share: the site under test, its two ways of being opened, and pages that watch themselves.
//
// LECTERN_SITE        the site's folder
// LECTERN_SERVE_URL   where that folder is served; without it, `$LECTERN_BIN serve --port 0` is started
// LECTERN_CHROMIUM    the browser, if it is not /usr/bin/chromium

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

const require = createRequire(new URL("../../site_templates/package.json", import.meta.url));
const { chromium } = require("playwright-core");
export const axeSource = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

export const site = process.env.LECTERN_SITE;
assert.ok(site && existsSync(join(site, "index.html")), "LECTERN_SITE names no site: build one with `lectern build`");

/** The lectures of the site, with the data of their steps. */
export const lectures = readdirSync(site)
  .filter((name) => existsSync(join(site, name, "steps.js")))
  .map((name) => {
    const text = readFileSync(join(site, name, "steps.js"), "utf8");
    const data = JSON.parse(text.slice(text.indexOf("(") + 1, text.lastIndexOf(")")));
    return { name, data, html: readFileSync(join(site, name, "index.html"), "utf8") };
  });
assert.ok(lectures.length > 0, `no lecture with steps in ${site}`);

let browser;
let server;
let served = process.env.LECTERN_SERVE_URL;

before(async () => {
  browser = await chromium.launch({
    executablePath: process.env.LECTERN_CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update"],
  });
  if (!served) served = await startServer();
});

after(async () => {
  await browser?.close();
  server?.kill();
});

async function startServer() {
  assert.ok(process.env.LECTERN_BIN, "neither LECTERN_SERVE_URL nor LECTERN_BIN is set");
  server = spawn(process.env.LECTERN_BIN, ["serve", "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
  return new Promise((resolve, reject) => {
    let printed = "";
    server.stdout.on("data", (chunk) => {
      printed += chunk;
      const url = /http:\/\/[\w.]+:\d+/.exec(printed);
      if (url) resolve(url[0]);
    });
    server.on("exit", (status) => reject(new Error(`lectern serve ended with status ${status}: ${printed}`)));
  });
}

const origins = {
  file: (path) => pathToFileURL(join(site, path)).href,
  served: (path) => `${served.replace(/\/$/, "")}/${path}`,
};

// Serving differs from file:// in origins and policies, not in what a lecture holds: one lecture shows it.
// And what the viewer does whatever it shows is seen on one lecture as well as on all.
const lightest = lectures.filter(({ data }) => data.at.length >= 20).sort((a, b) => a.html.length - b.html.length)[0] ?? lectures[0];

/**
 * Runs a test for each lecture from file://, and for the lightest from the server as well. `body(open, lecture, skip)`:
 * `open()` gives a watched page, `skip` says why a lecture has nothing to test.
 */
export function onEachPage(name, body, { only = lectures } = {}) {
  for (const lecture of only) {
    for (const origin of Object.keys(origins)) {
      if (origin === "served" && lecture !== lightest) continue;
      test(`${name} (${lecture.name}, ${origin})`, async (context) => {
        const contexts = [];
        const open = async (options = {}) => {
          const page = await openPage(origins[origin](options.path ?? `${lecture.name}/index.html`), options, lecture);
          contexts.push(page.context());
          return page;
        };
        try {
          await body(open, lecture, (reason) => context.skip(reason));
        } finally {
          for (const context of contexts) await context.close();
        }
      });
    }
  }
}

/** The same for what does not depend on the lecture. */
export function onOnePage(name, body) {
  onEachPage(name, body, { only: [lightest] });
}

/** A page that takes note of what it asks for, complains of and violates; `lecture` is kept for the tests. */
export async function openPage(url, options = {}, lecture = undefined) {
  const { hash = "", script = true, width = 1280, height = 860, theme = "light", storage = {}, prepare } = options;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    javaScriptEnabled: script,
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  page.lecture = lecture;
  page.complaints = [];
  page.requests = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) page.complaints.push(message.text());
  });
  page.on("dialog", (dialog) => {
    page.complaints.push(`a dialog: ${dialog.message()}`);
    dialog.dismiss().catch(() => {});
  });
  page.on("pageerror", (error) => page.complaints.push(String(error)));
  page.on("request", (request) => page.requests.push(request.url()));
  if (script) {
    await page.addInitScript((stored) => {
      for (const [key, value] of Object.entries(stored)) localStorage.setItem(key, value);
      window.shifts = [];
      window.violations = [];
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) {
          if (entry.hadRecentInput) continue;
          const moved = entry.sources.map(({ node }) => (node?.outerHTML ?? node?.textContent ?? "").slice(0, 80));
          window.shifts.push(`${entry.value.toFixed(4)}: ${moved.join(" | ")}`);
        }
      }).observe({ type: "layout-shift", buffered: true });
      document.addEventListener("securitypolicyviolation", (event) => window.violations.push(event.violatedDirective));
    }, storage);
  }
  if (prepare) await prepare(page);
  await page.goto(url + hash, { waitUntil: "load" });
  if (script) await page.waitForFunction(() => !document.documentElement.classList.contains("wait"));
  return page;
}

/** Waits until the page drew what the last key or click asked for. */
export async function drawn(page) {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

export async function press(page, key, times = 1) {
  for (let i = 0; i < times; ++i) await page.keyboard.press(key);
  await drawn(page);
}

/** The step that the page says it shows, from 0. */
export async function shownStep(page) {
  const words = await page.locator("#where b").textContent();
  return Number(/step ([\d,]+) of/.exec(words)[1].replaceAll(",", "")) - 1;
}

/** Goes to a step, from 0, as a reader would with a link. */
export async function goTo(page, step) {
  await page.evaluate((hash) => (location.hash = hash), `#step=${step + 1}`);
  await page.waitForFunction((text) => document.querySelector("#where b").textContent.startsWith(text), `step ${(step + 1).toLocaleString("en")} of`);
  await drawn(page);
}

export function message(page) {
  return page.locator("#message").textContent();
}

/** What the page's data says about steps, worked out the slow and obvious way. */
export function facts(data) {
  const depthOf = (step) => {
    let depth = 0;
    for (let stack = data.in[step]; stack >= 0; stack = data.stacks[stack][0]) ++depth;
    return depth;
  };
  const count = data.at.length;
  const scan = (from, direction, wanted) => {
    for (let step = from + direction; step >= 0 && step < count; step += direction) if (wanted(step)) return step;
    return -1;
  };
  return {
    count,
    depthOf,
    over: (step) => scan(step, 1, (other) => depthOf(other) <= depthOf(step)),
    overBack: (step) => scan(step, -1, (other) => depthOf(other) <= depthOf(step)),
    out: (step) => scan(step, 1, (other) => depthOf(other) < depthOf(step)),
    /** A step from which a call is entered, and the first one inside; undefined in a lecture without calls. */
    call: () => {
      for (let step = 0; step + 1 < count; ++step) if (depthOf(step + 1) > depthOf(step)) return step;
      return undefined;
    },
    /** Steps at which a statement begins: not the ones after a call. */
    begins: (site) => data.at.flatMap((at, step) => (at === site && !data.after.includes(step) ? [step] : [])),
    lineOf: (step) => data.sites[data.at[step]][1],
  };
}
