// What the browser tests share: a copy of the site, its two ways of being opened, and pages that watch themselves.
//
// LECTERN_SITE  the site's folder
// LECTERN_BIN   the program, which serves the copy

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { constants, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { launchBrowser } from "./launch.mjs";
import { pageData } from "./page_data.mjs";

const require = createRequire(new URL("../../site_templates/package.json", import.meta.url));
export const axeSource = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

// However the tests end, nothing of them goes on: not even when their runner is killed, who cannot tell them.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(128 + constants.signals[signal]));
const runner = process.ppid;
setInterval(() => process.ppid === runner || process.exit(1), 1000).unref();

/** A folder that is removed when the tests end. */
export function temporaryFolder(name) {
  const folder = mkdtempSync(join(tmpdir(), `lectern ${name} `));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Copies a site that others may be building: until it was the same before and after. */
function copySite(from, to) {
  const files = () => readdirSync(from, { recursive: true }).map((name) => `${name} ${statSync(join(from, name)).mtimeMs}`).join("\n");
  for (const deadline = Date.now() + 60_000; ; rmSync(to, { recursive: true, force: true })) {
    try {
      const found = files();
      cpSync(from, to, { recursive: true });
      if (files() === found) return;
    } catch (error) {
      if (error.code !== "ENOENT") throw error; // something went while it was looked at
    }
    assert.ok(Date.now() < deadline, `${from} has been changing for a minute`);
  }
}

const built = process.env.LECTERN_SITE;
assert.ok(built && existsSync(join(built, "index.html")), "LECTERN_SITE names no site: build one with `lectern build`");
const work = temporaryFolder("browser");
export const site = join(work, "site");
copySite(built, site);

/** The lectures of the site, with the data of their steps. */
export const lectures = readdirSync(site)
  .filter((name) => existsSync(join(site, name, "steps.js")))
  .map((name) => ({ name, data: pageData(join(site, name)), html: readFileSync(join(site, name, "index.html"), "utf8") }));
assert.ok(lectures.length > 0, `no lecture with steps in ${built}`);

let browser;
let served;

before(async () => {
  browser = await launchBrowser();
});

after(async () => {
  await browser?.close();
  for (const server of servers) server.kill();
});

const servers = [];

/**
 * `lectern serve` in a folder, as an installed program serves the site there, at the address that it gives; it ends with
 * this process.
 */
export function startServer(folder, options = []) {
  assert.ok(process.env.LECTERN_BIN, "LECTERN_BIN is not set: it names the program that serves");
  const home = join(folder, "home");
  mkdirSync(join(home, "share/lectern"), { recursive: true });
  const program = resolve(process.env.LECTERN_BIN);
  const server = spawn("setpriv", ["--pdeathsig", "TERM", program, "serve", "--port", "0", ...options], {
    cwd: folder,
    env: { ...process.env, LECTERN_HOME: home },
    stdio: ["ignore", "pipe", "inherit"],
  });
  servers.push(server);
  return new Promise((done, reject) => {
    let printed = "";
    server.on("error", reject);
    server.on("exit", (status) => reject(new Error(`lectern serve ended with status ${status}: ${printed}`)));
    server.stdout.on("data", (chunk) => {
      printed += chunk;
      const url = /http:\/\/[\w.]+:\d+\//.exec(printed);
      if (url) done(url[0]);
    });
  });
}

const origins = {
  file: async (path) => pathToFileURL(join(site, path)).href,
  served: async (path) => new URL(path, await (served ??= startServer(work))).href,
};

// What the viewer does whatever it shows is seen in one lecture as well as in all: the lightest, but not one of few steps.
const weight = ({ data, html }) => (data.at.length < 20 ? Infinity : html.length);
export const lightestFirst = [...lectures].sort((a, b) => weight(a) - weight(b) || 0);
export const longestFirst = [...lectures].sort((a, b) => b.data.at.length - a.data.at.length);

/** Pages that the tests of a file share. */
const shared = new Map();

async function withPages(lecture, origin, body, skip) {
  const contexts = [];
  const newPage = async (options) => openPage(await origins[origin](options.path ?? `${lecture.name}/index.html`), options, lecture);
  const open = async (options = {}) => {
    const page = await newPage(options);
    contexts.push(page.context());
    return page;
  };
  /** For tests that only look, or that go to a step first and leave nothing but another step behind. */
  open.shared = async (options = {}) => {
    const key = JSON.stringify([origin, lecture.name, options]);
    if (!shared.has(key)) shared.set(key, await newPage(options));
    return shared.get(key);
  };
  try {
    await body(open, lecture, skip);
  } catch (error) {
    // Who knows what state they are in.
    for (const page of shared.values()) contexts.push(page.context());
    shared.clear();
    throw error;
  } finally {
    for (const context of contexts) await context.close();
  }
}

/**
 * Runs a test for each lecture, since it depends on what the lecture holds. `body(open, lecture, skip)`: `open()` gives a
 * watched page, `skip` says why a lecture has nothing to test.
 */
export function onEachLecture(name, body, { among = lectures } = {}) {
  for (const lecture of among) {
    test(`${name} (${lecture.name})`, (context) => withPages(lecture, "file", body, (reason) => context.skip(reason)));
  }
}

/** Runs a test with the lightest lecture and the longest other one: what depends on a lecture's steps, not on its hooks. */
export function onTwoLectures(name, body) {
  const [lightest] = lightestFirst;
  const longest = longestFirst.find((lecture) => lecture !== lightest);
  onEachLecture(name, body, { among: [lightest, longest].filter(Boolean) });
}

/**
 * Runs a test once, since it depends on neither: with the first lecture that has something to test. Once from file:// and
 * once from the server if it depends on origins and policies.
 */
export function onOneLecture(name, body, { among = lightestFirst, from = ["file"] } = {}) {
  for (const origin of from) {
    test(from.length > 1 ? `${name} (${origin})` : name, async (context) => {
      const skipped = [];
      for (const lecture of among) {
        context.diagnostic(`with ${lecture.name}`);
        const before = skipped.length;
        await withPages(lecture, origin, body, (reason) => skipped.push(`${lecture.name}: ${reason}`));
        if (skipped.length === before) return;
      }
      context.skip(skipped.join("; "));
    });
  }
}

export const bothOrigins = Object.keys(origins);

/** A page that takes note of what it asks for, complains of and violates; `lecture` is kept for the tests. */
export async function openPage(url, options = {}, lecture = undefined) {
  const { hash = "", script = true, width = 1280, height = 860, theme = "light", storage = {}, touch = false, prepare } = options;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    javaScriptEnabled: script,
    reducedMotion: "reduce",
    hasTouch: touch,
  });
  context.setDefaultTimeout(120_000); // the machine may be busy with other things
  const page = await context.newPage();
  page.lecture = lecture;
  page.complaints = [];
  page.requests = [];
  page.on("console", (message) => {
    // From a folder a browser loads no captions, and says so; the page takes them from their transcript (captions.ts).
    if (/\.vtt from frame .*unique security origins/.test(message.text())) return;
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
  if (script) await shown(page);
  return page;
}

/** Waits until the page shows itself, in its fonts, and can be stepped through if it ever can. */
function shown(page) {
  return page.waitForFunction(() => {
    const { classList } = document.documentElement;
    return !classList.contains("wait") && (!document.body.matches(".lecture") || classList.contains("ready") || classList.contains("still"));
  });
}

/** Loads the page anew, at `hash` if it is given. */
export async function reload(page, hash) {
  if (hash === undefined) {
    await page.reload();
  } else {
    const url = new URL(hash, page.url()).href;
    await page.goto("about:blank");
    await page.goto(url);
  }
  await shown(page);
}

/** Changes the system's theme, and waits until the page has changed its colours. */
export async function setTheme(page, theme) {
  await page.emulateMedia({ colorScheme: theme });
  await page.evaluate(() => Promise.all(document.getAnimations().map(({ finished }) => finished)));
}

/** Waits until the page drew what the last key or click asked for. */
export async function drawn(page) {
  const waits = '.env[aria-busy="true"], script[src="source.js"]'; // values and rows of the source may be on their way
  const busy = () => page.evaluate(async (waits) => {
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    return document.querySelector(waits) !== null;
  }, waits);
  while (await busy()) await page.waitForFunction((waits) => !document.querySelector(waits), waits);
}

export async function press(page, key, times = 1) {
  for (let i = 0; i < times; ++i) await page.keyboard.press(key);
  await drawn(page);
}

/** The rules that another theme can break. */
export const colours = { runOnly: ["color-contrast", "link-in-text-block"] };

/**
 * What axe objects to in a part of the page. It takes milliseconds for the contrast of each piece of text, and finds the same
 * in all that has the same colours on the same grounds: it measures three of each such look. Styles that keep readers from
 * spacing letters are those that are important.
 */
export async function violations(page, part = "html", options = {}) {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axeSource);
  return page.evaluate(async ([selector, more]) => {
    const grounds = new Map([[null, ""]]);
    const groundOf = (element) => {
      if (!grounds.has(element)) {
        const { color, backgroundColor, backgroundImage, opacity } = getComputedStyle(element);
        grounds.set(element, [groundOf(element.parentElement), color, backgroundColor, backgroundImage, opacity].join(" "));
      }
      return grounds.get(element);
    };
    const looks = new Map();
    for (const element of document.querySelectorAll(selector.split(", ").map((each) => `${each}, ${each} *`).join())) {
      const isText = element.matches("input, select, textarea") || [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== "");
      if (!isText || !element.checkVisibility({ visibilityProperty: true })) continue;
      const { fontSize, fontWeight, textShadow } = getComputedStyle(element);
      const look = [groundOf(element), fontSize, fontWeight, textShadow].join(" ");
      looks.set(look, [...(looks.get(look) ?? []), element]);
    }
    const measured = [...looks.values()].flatMap((all) => [all[0], all[all.length >> 1], all.at(-1)]);
    for (const element of measured) element.setAttribute("data-look", "");
    axe.configure({ rules: [{ id: "color-contrast", selector: "[data-look]" }, { id: "avoid-inline-spacing", selector: '[style*="important" i]' }] });
    const include = selector.split(", ").map((each) => [each]);
    const found = await axe.run({ include }, { resultTypes: ["violations"], ...more });
    for (const element of measured) element.removeAttribute("data-look");
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ html, any }) => `${html.slice(0, 160)} ${any[0]?.message ?? ""}`).join(" | ")}`);
  }, [part, options]);
}

/** The step that the page says it shows, from 0. */
export async function shownStep(page) {
  const words = await page.locator("#where b").textContent();
  return Number(/step ([\d,]+) of/.exec(words)[1].replaceAll(",", "")) - 1;
}

/** How many nodes the page adds, removes or changes while it draws what `body` asks for: what its time goes by. */
export async function changes(page, body) {
  await page.evaluate(() => {
    window.changed = 0;
    window.observed = new MutationObserver((records) => {
      for (const { type, addedNodes, removedNodes } of records) window.changed += type === "childList" ? addedNodes.length + removedNodes.length : 1;
    });
    window.observed.observe(document, { attributes: true, characterData: true, childList: true, subtree: true });
  });
  await body();
  await drawn(page);
  return page.evaluate(() => {
    window.observed.disconnect();
    return window.changed;
  });
}

/** Goes to a step, from 0, as a reader would with a link. */
export async function goTo(page, step) {
  await page.evaluate((hash) => {
    // The address of the last jump, after which the reader stepped on, is no news.
    if (location.hash === hash) history.replaceState(history.state, "", "#");
    location.hash = hash;
  }, `#step=${step + 1}`);
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
