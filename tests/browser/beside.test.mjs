// A lecture in C++ and the same one in Python, which edtrace recorded: one page has both, stepped together.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { recordBoth, stepsAt } from "./ported_lecture.mjs";
import { colours, openPage, press, setTheme, startServer, temporaryFolder, violations } from "./support.mjs";

const folder = temporaryFolder("beside");
const traces = recordBoth(folder);
execFileSync(process.env.LECTERN_BIN, ["render", ...traces, "-o", join(folder, "site")]);
const address = (name, hash = "") => pathToFileURL(join(folder, "site/averages", name)).href + hash;
const both = "python/beside.html";

const frame = (page, name) => page.frame({ name });
async function ready(page) {
  for (const name of ["first", "other"]) await page.frameLocator(`iframe[name="${name}"]`).locator(":root.ready").waitFor({ state: "attached" });
  await page.waitForTimeout(150); // until they have heard of each other
}
async function openBoth(hash = "", options = {}) {
  const page = await openPage(address(both, hash), options);
  await ready(page);
  return page;
}
async function stepOf(page, name) {
  const words = await frame(page, name).locator("#where b").textContent();
  return Number(/step ([\d,]+) of/.exec(words)[1]) - 1;
}
/** Waits for both, by steps from 0; says what is shown instead. */
async function shows(page, first, other) {
  for (const deadline = Date.now() + 5000; Date.now() < deadline; await page.waitForTimeout(30)) {
    if ((await stepOf(page, "first")) === first && (await stepOf(page, "other")) === other) return;
  }
  assert.deepEqual([await stepOf(page, "first"), await stepOf(page, "other")], [first, other]);
}
const lone = (page) => page.locator(".sides [role=status]").allTextContents();
const click = (page, name, action) => frame(page, name).locator(`[data-action="${action}"]`).click();
const begin = (page, name, step) => frame(page, name).evaluate((hash) => (location.hash = hash), `#step=${step + 1}`);

test("each page leads to the other, and to both, without a script too", async () => {
  const page = await openPage(address("index.html"), { script: false });
  assert.deepEqual(await page.locator(".runs a").allTextContents(), ["CPU", "Python", "Side by side"]);
  await page.click(".runs .both");
  assert.equal(page.url(), address(both));
  assert.deepEqual(await page.locator(".sides h2").allTextContents(), ["C++ · CPU", "Python"]);
  assert.match(await page.frameLocator("iframe[name=first]").locator("main").textContent(), /static_cast/);
  assert.match(await page.frameLocator("iframe[name=other]").locator("main").textContent(), /def add/);
  await page.click(".runs [data-profile=python]");
  assert.equal(page.url(), address("python/index.html"));
  await page.click(".runs .both");
  assert.equal(page.url(), address(both));
  assert.deepEqual(page.complaints, []);
  await page.context().close();
});

test("a step in one is the corresponding step of the other", async () => {
  const page = await openBoth();
  const [first, other] = [stepsAt.first, stepsAt.other];
  await begin(page, "first", first("sum +=")[1]);
  await shows(page, first("sum +=")[1], other("sum +=")[1]);
  await click(page, "first", "step");
  await shows(page, first("sum +=")[1] + 1, other("for number")[2]);
  await begin(page, "other", other("sum +=")[2]);
  await shows(page, first("sum +=")[2], other("sum +=")[2]);
  await click(page, "other", "out");
  await shows(page, first("m = mean")[1], other("m = mean")[1]);
  await begin(page, "other", other("self.total +=")[1]);
  await shows(page, first("    total +=")[1], other("self.total +=")[1]);
  await begin(page, "first", first('"Nothing')[0]);
  await shows(page, first('"Nothing')[0], other('"Nothing')[0]);
  assert.deepEqual(await lone(page), ["", ""]);
  assert.deepEqual(page.complaints, []);
  await page.context().close();
});

test("so it is where the site is served", async () => {
  const page = await openPage(new URL(`averages/${both}`, await startServer(folder)).href);
  await ready(page);
  await begin(page, "first", stepsAt.first("sum +=")[1]);
  await shows(page, stepsAt.first("sum +=")[1], stepsAt.other("sum +=")[1]);
  await click(page, "other", "out");
  await shows(page, stepsAt.first("m = mean")[1], stepsAt.other("m = mean")[1]);
  assert.deepEqual(page.complaints, []);
  await page.context().close();
});

test("a step without a counterpart leaves the other page where it is, which says so", async () => {
  const page = await openBoth();
  const waiting = stepsAt.other("m = mean")[1];
  await begin(page, "first", stepsAt.first("m = mean")[1]);
  await shows(page, stepsAt.first("m = mean")[1], waiting);
  await begin(page, "first", stepsAt.first("assert(size")[0]);
  await page.waitForFunction(() => document.querySelectorAll("[role=status]")[1].textContent !== "");
  await shows(page, stepsAt.first("assert(size")[0], waiting);
  assert.deepEqual(await lone(page), ["", "Stays here: no step corresponds to that one"]);
  await begin(page, "other", stepsAt.other("statistics")[0]);
  await page.waitForFunction(() => document.querySelector("[role=status]").textContent !== "");
  assert.deepEqual(await lone(page), ["Stays here: no step corresponds to that one", ""]);
  await begin(page, "other", stepsAt.other('"## One')[0]);
  await shows(page, stepsAt.first('"## One')[0], stepsAt.other('"## One')[0]);
  assert.deepEqual(await lone(page), ["", ""]);
  await page.context().close();
});

test("keys step from the first on, and a held one loses no step on either side", async () => {
  const page = await openBoth();
  for (let i = 0; i < 7; ++i) await page.keyboard.press("ArrowRight");
  await shows(page, stepsAt.first("sum +=")[1], stepsAt.other("sum +=")[1]);
  // As fast as they come: browsers refuse so many changes of an address.
  for (let i = 0; i < 300; ++i) await page.keyboard.press(i % 4 < 2 ? "l" : "h");
  await shows(page, stepsAt.first("sum +=")[1], stepsAt.other("sum +=")[1]);
  await begin(page, "first", stepsAt.first('"Nothing')[0]);
  await shows(page, stepsAt.first('"Nothing')[0], stepsAt.other('"Nothing')[0]);
  await page.context().close();
});

test("the address is a link to both", async () => {
  const page = await openBoth();
  const [first, other] = [stepsAt.first("    total +=")[0], stepsAt.other("self.total +=")[0]];
  await begin(page, "first", first);
  await shows(page, first, other);
  await page.waitForURL(/#step=RunningMean/);
  const again = await openBoth(new URL(page.url()).hash);
  await shows(again, first, other);
  await begin(again, "other", other + 2);
  await again.waitForURL(/#beside=add~/);
  const third = await openBoth(new URL(again.url()).hash);
  await shows(third, await stepOf(again, "first"), other + 2);
  for (const each of [page, again, third]) await each.context().close();
});

test("a link that cannot be read is for the page to say", async () => {
  for (const hash of ["#step=99999", "#beside=%E0%A4%A", "#step=<img src=x onerror=alert(1)>", "#other"]) {
    const page = await openBoth(hash);
    assert.deepEqual(page.complaints, [], hash);
    assert.deepEqual([await stepOf(page, "first"), await stepOf(page, "other")], [0, 0], hash);
    await page.context().close();
  }
});

test("D leads to both and back, d to the other one, g home; the step stays", async () => {
  const page = await openPage(address("index.html", `#step=${stepsAt.first("m = mean")[0] + 1}`));
  const go = async (key, url) => {
    await Promise.all([page.waitForURL(url), page.keyboard.press(key)]);
    if (page.url().includes("/beside.html")) await ready(page);
    else await page.locator(":root.ready").waitFor({ state: "attached" });
  };
  await go("D", /beside\.html#step=main~/);
  await shows(page, stepsAt.first("m = mean")[0], stepsAt.other("m = mean")[0]);
  await click(page, "first", "step");
  await page.waitForTimeout(100);
  await go("D", (url) => url.pathname.endsWith("averages/index.html") && url.hash.startsWith("#step=mean~"));
  await go("D", /beside\.html#step=mean~/);
  await frame(page, "other").locator("main").press("d");
  await page.waitForURL((url) => url.pathname.endsWith("averages/index.html"));
  await page.locator(":root.ready").waitFor({ state: "attached" });
  await go("d", (url) => url.pathname.endsWith("averages/python/index.html"));
  await press(page, "ArrowRight");
  await go("D", /beside\.html#beside=/);
  await frame(page, "first").locator("main").press("g");
  await page.waitForURL(/site\/index\.html$/);
  assert.deepEqual(page.complaints, []);
  await page.context().close();
});

test("a lecture in one language has no such view", async () => {
  const once = join(folder, "once");
  execFileSync(process.env.LECTERN_BIN, ["render", traces[0], "-o", once]);
  const page = await openPage(pathToFileURL(join(once, "averages/index.html")).href);
  await press(page, "D");
  assert.match(await page.locator("#message p").textContent(), /in one language only/);
  await page.context().close();
});

test("links to other pages take the whole window", async () => {
  const page = await openBoth();
  await frame(page, "first").evaluate(() => {
    const link = Object.assign(document.createElement("a"), { href: "../index.html", textContent: "home", id: "out" });
    document.querySelector(".lec").prepend(link);
  });
  await Promise.all([page.waitForURL(/site\/index\.html$/), frame(page, "first").locator("#out").click()]);
  await page.context().close();
});

test("what other windows say is data", async () => {
  const page = await openBoth();
  await begin(page, "first", 3);
  await shows(page, 3, 4);
  const hostile = [
    null, 1, "go", [], { lectern: "go" }, { lectern: "go", step: "5" }, { lectern: "go", step: 1.5 }, { lectern: "go", step: 1e9 }, { lectern: "go", step: {} },
    { lectern: "act", action: "constructor" }, { lectern: "act", action: ["step"] }, { lectern: "act", action: "home" }, { lectern: "at", step: -1, link: "#step=1" },
    { lectern: "at", step: 9e9, link: "#step=1" }, { lectern: "at", step: 2, link: "javascript:alert(1)" }, { lectern: "at", step: 2, link: 7 },
    { lectern: "at", step: 2, link: "#step=a b" }, { lectern: "ready", step: 3 }, { __proto__: { lectern: "act" }, action: "last" },
  ];
  // To the page around, as from a frame that was taken over; to a frame, as from the page around it.
  await frame(page, "other").evaluate((all) => all.forEach((each) => parent.postMessage(each, "*")), hostile.filter((each) => each?.action !== "home"));
  await page.evaluate((all) => {
    for (const each of all) document.querySelector("iframe").contentWindow.postMessage(each, "*");
  }, hostile);
  // And from a window that is neither.
  await page.evaluate(() => {
    const stranger = document.body.appendChild(Object.assign(document.createElement("iframe"), { name: "stranger" }));
    stranger.contentWindow.eval; // it exists
  });
  await frame(page, "stranger").evaluate(() => {
    parent.postMessage({ lectern: "at", step: 9, link: "#step=10" }, "*");
    parent.frames[0].postMessage({ lectern: "go", step: 9 }, "*");
    parent.frames[1].postMessage({ lectern: "act", action: "last" }, "*");
  });
  await page.waitForTimeout(400);
  await shows(page, 3, 4);
  assert.equal(page.url().replace(/#.*/, ""), address(both));
  assert.deepEqual(await lone(page), ["", ""]);
  assert.deepEqual(page.complaints, []);
  await page.context().close();
});

test("what traces call things is text", async () => {
  const evil = '"><img src=x onerror="window.intruder=1"><script>window.intruder=1</script></script>{{{policy}}}';
  const place = join(folder, "evil");
  const [first, other] = recordBoth(place);
  for (const [file, change] of [[first, (trace) => {
    trace.profile.device = evil;
    trace.records.find((record) => record.show).show.unshift({ kind: "front", title: evil });
  }], [other, (trace) => (trace.profile.device = evil)]]) {
    const trace = JSON.parse(readFileSync(file, "utf8"));
    for (const record of trace.records) if ("function" in record && "name" in record && record.name !== "main") record.name = `${evil}::${record.name}`;
    change(trace);
    writeFileSync(file, JSON.stringify(trace));
  }
  execFileSync(process.env.LECTERN_BIN, ["render", first, other, "-o", join(place, "site")]);
  const page = await openPage(pathToFileURL(join(place, "site/averages", both)).href);
  await ready(page);
  assert.equal(await page.locator("h1").textContent(), evil);
  assert.deepEqual(await page.locator(".sides h2").allTextContents(), [`C++ · ${evil}`, `Python · ${evil}`]);
  await begin(page, "first", stepsAt.first("m = mean")[0]);
  await shows(page, stepsAt.first("m = mean")[0], stepsAt.other("m = mean")[0]);
  for (const each of page.frames()) assert.equal(await each.evaluate(() => window.intruder), undefined);
  assert.equal(await page.locator("img").count(), 0);
  assert.deepEqual(page.complaints, []);
  await page.context().close();
});

test("a page in somebody else's frame is led by nobody", async () => {
  writeFileSync(join(folder, "site/around.html"), '<!doctype html><iframe name="lecture" src="averages/index.html"></iframe>');
  const page = await openPage(pathToFileURL(join(folder, "site/around.html")).href);
  await page.frameLocator("iframe").locator(":root.ready").waitFor({ state: "attached" });
  await page.frame({ name: "lecture" }).locator("main").press("D");
  await page.frame({ name: "lecture" }).waitForURL(/beside\.html/);
  await page.context().close();
});

for (const width of [1280, 390]) {
  test(`there is room for both at ${width} pixels, in both themes`, async () => {
    const page = await openBoth(`#step=${stepsAt.first("sum +=")[1] + 1}`, { width, height: 780 });
    await shows(page, stepsAt.first("sum +=")[1], stepsAt.other("sum +=")[1]);
    const [first, other] = await page.$$eval(".sides iframe", (all) => all.map((each) => each.getBoundingClientRect().toJSON()));
    if (width > 860) assert.ok(other.left >= first.right && Math.abs(other.top - first.top) < 1 && first.height > 600);
    else assert.ok(other.top >= first.bottom && other.left === first.left && first.height > 280);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
    for (const name of ["first", "other"]) {
      const row = await frame(page, name).locator(".row.now").first().evaluate((now) => {
        const { top, bottom } = now.getBoundingClientRect();
        return { top, bottom, under: document.querySelector(".env").getBoundingClientRect().top };
      });
      assert.ok(row.top >= 0 && row.bottom <= row.under, `${name}: ${JSON.stringify(row)}`);
      const outside = await frame(page, name).$$eval(".bar button, .bar b", (all) =>
        all.filter((each) => each.checkVisibility()).map((each) => ({ text: each.title || each.textContent, ...each.getBoundingClientRect().toJSON() }))
          .filter((box) => box.left < 0 || box.right > innerWidth || box.bottom > innerHeight).map((box) => box.text));
      assert.deepEqual(outside, [], name);
    }
    assert.deepEqual(page.complaints, []);
    assert.deepEqual(await page.evaluate(() => window.shifts), []);
    for (const [theme, rules] of [["light", {}], ["dark", colours]]) {
      await setTheme(page, theme);
      assert.deepEqual(await violations(page, "html", { iframes: false, ...rules }), [], theme);
    }
    await page.context().close();
  });
}

test("a policy lets nothing but the site's own pages into the frames", () => {
  const policy = /Content-Security-Policy" content="([^"]*)"/;
  assert.match(policy.exec(readFileSync(join(folder, "site/averages", both), "utf8"))[1], /^default-src 'none';.*; frame-src 'self'$/);
  assert.doesNotMatch(policy.exec(readFileSync(join(folder, "site/averages/index.html"), "utf8"))[1], /frame-src/);
});
