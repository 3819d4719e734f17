// How soon a page is there in Chromium, what it weighs, and what a step costs: for pages as built, for synthetic lectures, and
// for edtrace's viewer beside them, all by the same script.
//
//   node tests/bench/step_browser.mjs [--page PAGE]… [--steps N[KIND]]… [--beside ADDRESS] [--lectern PROGRAM] [--runs N]
//        [--presses N] [--clock wall|thread]
//
//   --page PAGE        an index.html in a site; opened from file:// and over http
//   --steps N[KIND]    a synthetic lecture of N steps, rendered by PROGRAM (build/release/bin/lectern): each step inspects a
//                      number (no KIND), an 8 × 8 tensor (KIND t), or is one of a deeper call (r)
//   --beside ADDRESS   edtrace's viewer, showing an export of the same lecture
//
// Times are medians of cold starts: each in a new browser context, from the start of the navigation. "held": the same with
// every script but the one that sets the theme held back for a second, so that only HTML and styles can paint. A step's
// time is what the main thread spends in all on a real press of the key, less what it spends on none; with --clock thread
// without the time in which others had the processor, for a machine that is not idle. Bars that are missed are marked, and
// make the exit status 1.

import { createRequire } from "node:module";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { gzipSync } from "node:zlib";
import { launchBrowser } from "../browser/launch.mjs";
import { writeSyntheticTrace } from "./synthetic_trace.mjs";

const require = createRequire(new URL("../../site_templates/package.json", import.meta.url));

const { values: options } = parseArgs({
  options: {
    page: { type: "string", multiple: true, default: [] },
    steps: { type: "string", multiple: true, default: [] },
    beside: { type: "string" },
    lectern: { type: "string", default: "build/release/bin/lectern" },
    runs: { type: "string", default: "5" },
    presses: { type: "string", default: "200" },
    clock: { type: "string", default: "wall" },
  },
});
const runs = Number(options.runs);
const presses = Number(options.presses);
const bars = { paint: 200, held: 200, script: 60 * 1024, shift: 0, step: 8, stepOfMany: 16, ready: 1000 };
const many = 50_000; // steps

const browser = await launchBrowser();

const sorted = (list) => [...list].sort((a, b) => a - b);
const quantile = (list, part) => sorted(list)[Math.floor(part * (list.length - 1))];
const median = (list) => quantile(list, 0.5);
const settled = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))));

/** Opens an address in a new context. `prepare(page)` comes before. */
async function open(url, prepare = async () => {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  await page.addInitScript(() => {
    window.measured = { shift: 0, largest: 0 };
    new PerformanceObserver((list) => list.getEntries().forEach((entry) => (window.measured.shift += entry.value))).observe({ type: "layout-shift", buffered: true });
    new PerformanceObserver((list) => (window.measured.largest = list.getEntries().at(-1).startTime)).observe({ type: "largest-contentful-paint", buffered: true });
  });
  await prepare(page);
  await page.goto(url, { waitUntil: "load" });
  await settled(page);
  return page;
}

/** What a resource that is loaded at the start counts as; undefined: as nothing that has a bar. */
function kindOf(url, type) {
  if (/\/(steps|costs|fragments\/[^/]*)\.js$|\.json$/.test(url)) return "data";
  if (url.endsWith("/plots.js")) return "plots"; // only on pages with a plot, as one comes near
  return { document: "html", script: "script" }[type];
}

/** Opens it once: when it painted, was ready for steps, what moved, how many elements it has. */
async function start(url) {
  const page = await open(url);
  await page.waitForTimeout(300); // for what comes late
  const found = await page.evaluate(() => {
    const time = (name) => performance.getEntriesByName(name)[0]?.startTime;
    return { paint: time("first-contentful-paint"), ready: time("lectern-ready"), ...window.measured, elements: document.querySelectorAll("*").length };
  });
  await page.context().close();
  return found;
}

/** When it painted while its scripts were held back; undefined: not before they came. */
async function paintWithoutScripts(url) {
  const hold = 1000;
  const page = await open(url, (page) =>
    page.route(/\.m?js$/, async (route) => {
      if (!route.request().url().endsWith("/theme.js")) await new Promise((done) => setTimeout(done, hold));
      await route.continue().catch(() => {});
    }),
  );
  const paint = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime);
  await page.context().close();
  return paint < hold ? paint : undefined;
}

/** Bytes of what is loaded at the start, gzip. */
async function weigh(url) {
  const responses = [];
  const page = await open(url, async (page) => void page.on("response", (response) => responses.push(response)));
  await page.waitForTimeout(1000);
  const bytes = { script: 0, plots: 0, data: 0, html: 0 };
  for (const response of responses) {
    const kind = kindOf(response.url(), response.request().resourceType());
    if (kind) bytes[kind] += gzipSync(await response.body()).length;
  }
  await page.context().close();
  return bytes;
}

/** Main-thread milliseconds of each press of the right arrow, one after the other; every tenth of the left one. */
async function step(url) {
  const page = await open(url);
  await page.waitForTimeout(1000); // what is fetched ahead
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: options.clock === "thread" ? "threadTicks" : "timeTicks" });
  const spent = async () => (await session.send("Performance.getMetrics")).metrics.find(({ name }) => name === "TaskDuration").value * 1000;
  const cost = async (act) => {
    const before = await spent();
    await act();
    await settled(page);
    return (await spent()) - before;
  };
  const idle = [];
  const times = [];
  for (let i = 0; i < presses; ++i) {
    if (i % 4 === 0) idle.push(await cost(async () => {}));
    times.push(await cost(() => page.keyboard.press(i % 10 === 9 ? "ArrowLeft" : "ArrowRight")));
  }
  await page.context().close();
  return times.map((time) => Math.max(0, time - median(idle)));
}

let missed = false;
const figure = (value, digits, unit, bar) => {
  if (value === undefined) return "not measured";
  const over = bar !== undefined && value > bar;
  missed ||= over;
  return `${value.toFixed(digits)}${unit}${over ? ` (MISSES ${bar})` : ""}`;
};

/** Measures an address. `count`: its steps; undefined: bars do not apply. */
async function measure(name, url, count) {
  const ours = count !== undefined;
  const starts = [];
  for (let i = 0; i < runs; ++i) starts.push(await start(url));
  const held = [];
  for (let i = 0; i < runs; ++i) held.push(await paintWithoutScripts(url));
  const weight = await weigh(url);
  const times = await step(url);
  const of = (key) => median(starts.map((each) => each[key]));
  const bar = (key) => (ours ? bars[key] : undefined);
  const kilobytes = (bytes) => `${(bytes / 1024).toFixed(1)} KB`;
  console.log(name);
  console.log(`  painted after ${figure(of("paint"), 0, " ms", bar("paint"))}, the largest part after ${figure(of("largest"), 0, " ms")}; scripts held: ` +
    (held.includes(undefined) ? "nothing before they come" : figure(median(held), 0, " ms", bar("held"))));
  if (of("ready") !== undefined) console.log(`  ready for steps after ${figure(of("ready"), 0, " ms", bar("ready"))}`);
  console.log(`  layout shift ${figure(Math.max(...starts.map(({ shift }) => shift)), 4, "", bar("shift"))}; ${of("elements")} elements`);
  console.log(`  gzip: script ${figure(weight.script / 1024, 1, " KB", bar("script") && bar("script") / 1024)} (plots ${kilobytes(weight.plots)}), data at the start ${kilobytes(weight.data)}, HTML ${kilobytes(weight.html)}`);
  console.log(`  a step: median ${figure(median(times), 1, " ms")}, p95 ${figure(quantile(times, 0.95), 1, " ms", ours ? (count >= many ? bars.stepOfMany : bars.step) : undefined)}, max ${figure(quantile(times, 1), 1, " ms")}`);
}

/** An address of a served folder, and how to end serving. */
async function serve(folder) {
  const worker = new Worker(new URL("./static_server.mjs", import.meta.url), { workerData: folder });
  const port = await new Promise((done, failed) => worker.once("message", done).once("error", failed));
  return { origin: `http://127.0.0.1:${port}/`, end: () => worker.terminate() };
}

async function measurePage(name, file, count, { overHttp }) {
  await measure(`${name}, file`, pathToFileURL(file).href, count);
  if (!overHttp) return;
  const site = dirname(dirname(file));
  const server = await serve(site);
  await measure(`${name}, http`, server.origin + relative(site, file), count);
  await server.end();
}

function bytesBelow(folder) {
  return readdirSync(folder, { recursive: true }).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

async function measureSynthetic(wanted) {
  const [, digits, letter] = /^(\d+)([tr]?)$/.exec(wanted) ?? [];
  if (!digits) throw new Error(`--steps ${wanted}: a number of steps, and t or r`);
  const count = Number(digits);
  const kind = { "": "numbers", t: "tensors", r: "calls" }[letter];
  const folder = mkdtempSync(join(tmpdir(), "lectern-bench-"));
  try {
    const trace = join(folder, "synthetic.json");
    await writeSyntheticTrace(trace, count, kind);
    const begin = performance.now();
    execFileSync(options.lectern, ["render", trace, "-o", join(folder, "site")]);
    const seconds = (performance.now() - begin) / 1000;
    const page = join(folder, "site/synthetic");
    const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
    console.log(`${wanted}: a trace of ${megabytes(statSync(trace).size)}, rendered in ${seconds.toFixed(1)} s (${Math.round(count / seconds)} steps/s) ` +
      `to ${megabytes(bytesBelow(page))}, of which steps.js ${megabytes(statSync(join(page, "steps.js")).size)}`);
    await measurePage(wanted, join(page, "index.html"), count, { overHttp: false });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (options.page.length + options.steps.length === 0 && !options.beside) {
  console.error("usage: node tests/bench/step_browser.mjs [--page PAGE]… [--steps N[t|r]]… [--beside ADDRESS] [--lectern PROGRAM] [--runs N]");
  process.exit(2);
}
console.log(`Chromium ${browser.version()}, ${runs} cold starts each, steps by the ${options.clock === "thread" ? "main thread's own clock" : "clock on the wall"}`);
for (const page of options.page) await measurePage(page, resolve(page), 0, { overHttp: true });
for (const wanted of options.steps) await measureSynthetic(wanted);
if (options.beside) await measure(`beside: ${options.beside}`, options.beside, undefined);
await browser.close();
process.exit(missed ? 1 : 0);
