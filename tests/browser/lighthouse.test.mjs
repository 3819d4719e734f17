// Lighthouse's audits of search engines and accessibility: every page of a site gets all of the points.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { after, before, test } from "node:test";
import { launchBrowser } from "./launch.mjs";
import { mediaSite } from "./media_lecture.mjs";

const require = createRequire(new URL("../../site_templates/package.json", import.meta.url));
const { default: lighthouse, desktopConfig } = await import(require.resolve("lighthouse"));
const puppeteer = createRequire(require.resolve("lighthouse"))("puppeteer-core");

process.env.LECTERN_SITE = mediaSite().site; // no other is needed
const { startServer } = await import("./support.mjs");

let chromium;
let browser;
let address;

const freePort = () => new Promise((done) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const { port } = server.address();
    server.close(() => done(port));
  });
});

before(async () => {
  const port = await freePort();
  chromium = await launchBrowser([`--remote-debugging-port=${port}`]);
  browser = await puppeteer.connect({ browserURL: `http://127.0.0.1:${port}` });
  address = await startServer(mediaSite().folder);
});

after(async () => {
  await browser?.disconnect();
  await chromium?.close();
});

/** What costs a page points, by category. */
async function audit(path, { skipAudits = [], config } = {}) {
  const page = await browser.newPage();
  // Lighthouse asks for robots.txt as if the page did, whose policy forbids all requests. A crawler knows no such policy.
  await page.setBypassCSP(true);
  const flags = { logLevel: "error", onlyCategories: ["seo", "accessibility"], throttlingMethod: "provided", disableFullPageScreenshot: true, skipAudits };
  const { lhr } = await lighthouse(new URL(path, address).href, flags, config, page);
  await page.close();
  assert.equal(lhr.runtimeError, undefined);
  return Object.fromEntries(Object.values(lhr.categories).map(({ id, score, auditRefs }) => {
    const lost = auditRefs.filter((ref) => ref.weight > 0 && (lhr.audits[ref.id].score ?? 1) < 1).map((ref) => lhr.audits[ref.id]);
    const reasons = lost.map(({ id: name, explanation, errorMessage, details }) => `${name}: ${explanation ?? errorMessage ?? ""} ${(details?.items ?? []).slice(0, 3).map(({ node, ...rest }) => node?.snippet ?? JSON.stringify(rest)).join(" | ")}`);
    return [id, [score, ...reasons]];
  }));
}

const full = { seo: [1], accessibility: [1] };

for (const path of ["index.html", "media/index.html", "symbols.html"]) {
  test(path, async () => assert.deepEqual(await audit(path), full));
}

test("a lecture on a large screen", async () => assert.deepEqual(await audit("media/index.html", { config: desktopConfig }), full));

// No search engine is to list it.
test("404.html", async () => assert.deepEqual(await audit("404.html", { skipAudits: ["is-crawlable"] }), full));
