// Plots: drawn when the reader comes near, in the page's looks, once, and by nothing that comes from outside.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { goTo, lectures, onEachLecture, onOneLecture, openPage, press, setTheme, temporaryFolder, violations } from "./support.mjs";

assert.ok(process.env.LECTERN_BIN, "LECTERN_BIN is not set: it names the program that renders");
const folder = temporaryFolder("plots");

const values = Array.from({ length: 12 }, (_, i) => ({ a: i, b: (i * 37) % 11, c: `group ${i % 3}` }));
const line = (title, more = {}) => ({
  title, data: { values }, mark: "line",
  encoding: { x: { field: "a", type: "quantitative" }, y: { field: "b", type: "quantitative" }, color: { field: "c", type: "nominal" } },
  ...more,
});

/** Renders a lecture of one statement per list of specifications, each of which it shows in a pass of its own. */
function render(lecture, statements, { status = 0, env = process.env } = {}) {
  const lines = ["int main() {", "  begin();", ...statements.map((_, i) => `  plot(${i});`), "  end();", "}"];
  const shown = (spec, i) => ({ kind: "plot", spec, alt: `Plot ${i}`, caption: "*A* caption" });
  const steps = [
    { at: 0, in: 0, enter: 1 },
    ...statements.flatMap((specs, i) => specs.map((spec) => ({ at: i + 1, in: 0, show: [shown(spec, i)] }))),
    { at: statements.length + 1, in: 0 },
  ];
  const records = [
    { source: 0, path: "main.cpp", language: "cpp", lines },
    { function: 0, name: "main", source: 0, span: [1, 1, lines.length, 2] },
    ...lines.slice(1, -1).map((text, i) => ({ site: i, function: 0, span: [i + 2, 3, i + 2, 3 + text.length], ...(/plot/.test(text) ? { kind: "hook" } : {}) })),
    { stack: 0, function: 0 },
    ...steps,
    { end: "returned", status: 0, steps: steps.length },
  ];
  const trace = { format: "lectern-trace/1", lecture, profile: { name: "cpu", threads: 1 }, records };
  writeFileSync(join(folder, `${lecture}.json`), JSON.stringify(trace));
  const made = spawnSync(process.env.LECTERN_BIN, ["render", join(folder, `${lecture}.json`), "-o", join(folder, "site")], { encoding: "utf8", timeout: 60_000, env });
  assert.equal(made.status, status, made.stderr);
  return { said: made.stderr, url: pathToFileURL(join(folder, "site", lecture, "index.html")).href, steps: steps.length };
}

/** A page of one plot, for whatever needs no more. */
let rendered;
const onePlot = () => (rendered ??= render("one", [[line("one")]]));

async function nothingHappened(page) {
  assert.deepEqual(await page.evaluate(() => window.violations ?? []), []);
  assert.deepEqual(page.complaints, []);
  const { origin } = new URL(page.url());
  for (const asked of page.requests) assert.ok(asked.startsWith("data:") || new URL(asked).origin === origin, `asked for ${asked}`);
}

/** The last thing to do with a page: axe itself asks for style sheets, and is refused. */
async function axeIsContent(page, part) {
  await nothingHappened(page);
  assert.deepEqual(await violations(page, part, { preload: false }), []);
}

async function withPage(url, options, body) {
  const page = await openPage(url, options);
  try {
    await body(page);
    await nothingHappened(page);
  } finally {
    await page.context().close();
  }
}

/** Comes near to a plot, and waits until it is drawn or said not to be. */
async function comeTo(plot) {
  await plot.evaluate((element) => element.scrollIntoView({ block: "center" }));
  await plot.locator(".chart > div, .chart.failed").waitFor();
}

/** Those that the script drew, in place of their pictures. */
const drawnPlots = (page) => page.locator(".chart > div > svg").count();

/** Texts of a plot that are hard to read, in colour or size. */
function illegible(plot) {
  return plot.evaluate((element) => {
    const luminance = (colour) => {
      const [r, g, b] = colour.match(/[\d.]+/g).map((part) => {
        const value = part / 255;
        return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ground = luminance(getComputedStyle(document.body).backgroundColor);
    return [...element.querySelectorAll("svg text")].filter((text) => text.textContent !== "").flatMap((text) => {
      const { fill, fontSize, fontFamily } = getComputedStyle(text);
      const [low, high] = [luminance(fill), ground].sort((a, b) => a - b);
      const good = (high + 0.05) / (low + 0.05) >= 4.5 && parseFloat(fontSize) >= 12 && /Inter/.test(fontFamily);
      return good ? [] : [`${text.textContent}: ${fill} ${fontSize} ${fontFamily}`];
    });
  });
}

const wide = { width: 1280, height: 860 };
const phone = { width: 390, height: 780 };

async function plotsLookRight(open, theme, sizes) {
  const page = await open({ ...sizes[0], theme });
  for (const size of sizes) {
    await page.setViewportSize(size);
    for (const plot of await page.locator(".plot").all()) {
      await comeTo(plot);
      assert.deepEqual(await illegible(plot), []);
      const { chart, svg, slot, label, role } = await plot.evaluate(async (element) => {
        const [chart, slot] = [element.querySelector(".chart"), element.closest(".slot")];
        const box = (part) => part.getBoundingClientRect().toJSON();
        const drawn = () => box(element.querySelector("svg"));  // another one when it is drawn anew
        // It gets another width some frames after the window has one.
        for (let frame = 0; frame < 100 && drawn().width !== box(chart).width; ++frame) await new Promise(requestAnimationFrame);
        return { chart: box(chart), svg: drawn(), slot: box(slot), label: chart.getAttribute("aria-label"), role: chart.getAttribute("role") };
      });
      assert.equal(svg.width, chart.width, "it fills its place");
      assert.equal(chart.width, slot.width, "as wide as the column");
      assert.equal(svg.height, chart.height, "and as high as it was kept for it");
      assert.ok(label.length > 10);
      assert.equal(role, "img");
    }
    assert.deepEqual(await page.evaluate(() => window.shifts), [], "nothing moved when they came");
  }
  return page;
}

async function plotsLookRightInBothThemes(open, theme, sizes) {
  const page = await plotsLookRight(open, theme, sizes);
  await setTheme(page, theme === "light" ? "dark" : "light");
  for (const plot of await page.locator(".plot").all()) assert.deepEqual(await illegible(plot), [], "in the other theme");
  await axeIsContent(page, ".plot");
}
const withPlots = lectures.filter(({ html }) => html.includes('class="chart"'));
onEachLecture("plots are drawn in the page's looks, as wide as their column", (open) => plotsLookRight(open, "light", [wide, phone]), { among: withPlots });
onOneLecture("so they are in a page that is served, on a phone, in both themes", (open) => plotsLookRightInBothThemes(open, "dark", [phone]), { among: withPlots, from: ["served"] });

test("a plot follows the theme while it is shown, and paper", async () => {
  const { url } = onePlot();
  await withPage(url, { theme: "light" }, async (page) => {
    await comeTo(page.locator(".plot"));
    const svg = await page.locator(".chart > div > svg").elementHandle();
    const colours = () => page.evaluate(() => [".chart .mark-line path", ".chart text"].map((part) => getComputedStyle(document.querySelector(part))).flatMap(({ fill, stroke }) => [fill, stroke]));
    const light = await colours();
    await page.click('[data-action="theme"]');
    const dark = await colours();
    assert.ok([1, 2].every((part) => light[part] !== dark[part]), `${light} ${dark}`);
    assert.ok(await svg.evaluate((element) => element.isConnected), "it was not drawn again");
    assert.deepEqual(await illegible(page.locator(".plot")), []);
    await page.emulateMedia({ media: "print" });
    assert.equal((await colours())[1], light[1], "dark on white on paper");
    assert.ok(await page.isVisible(".chart svg"));
    assert.ok(!(await page.isVisible(".plot details")), "the plot stands for its specification");
  });
});

test("only pages with a plot load what draws them", async () => {
  const { url: without } = render("without", [[]]);
  const { url: with_ } = onePlot();
  for (const [url, times] of [[without, 0], [with_, 1]]) {
    await withPage(url, {}, async (page) => {
      if (times > 0) await page.locator(".chart > div > svg").waitFor();
      else await page.waitForTimeout(400); // for what would come late
      assert.equal(page.requests.filter((asked) => asked.endsWith("/plots.js")).length, times);
    });
  }
});

test("stepping does not draw a plot again, and what a statement shows in each pass is kept", async () => {
  const { url, steps } = render("stepping", [[line("only")], [line("first"), line("second"), line("third")]]);
  await withPage(url, {}, async (page) => {
    const plots = page.locator(".plot");
    await comeTo(plots.nth(0));
    const only = await plots.nth(0).locator("svg").elementHandle();
    const title = async () => {
      await comeTo(plots.nth(1));
      return plots.nth(1).locator(".mark-text.role-title-text").textContent();
    };
    assert.equal(await title(), "third", "the last one before any step");
    const seen = new Map();
    for (const step of [2, 3, 4, 3, 2, 4, steps - 1]) {
      await goTo(page, step);
      const expected = ["first", "second", "third"][Math.min(step, 4) - 2];
      assert.equal(await title(), expected, `step ${step}`);
      const svg = await plots.nth(1).locator("svg").elementHandle();
      assert.ok(!seen.has(expected) || (await svg.evaluate((now, before) => now === before, seen.get(expected))), `${expected} is drawn once`);
      seen.set(expected, svg);
    }
    await press(page, "ArrowLeft", 4);
    await press(page, "ArrowRight", 4);
    assert.ok(await only.evaluate((element) => element.isConnected), "a statement that ran once keeps its plot");
  });
});

test("a plot has the width of its column when that changes", async () => {
  const { url } = onePlot();
  await withPage(url, {}, async (page) => {
    await comeTo(page.locator(".plot"));
    const fits = () => page.waitForFunction(() => document.querySelector(".chart svg").getBoundingClientRect().width === document.querySelector(".chart").clientWidth);
    for (const change of [() => page.setViewportSize({ width: 390, height: 780 }), () => page.setViewportSize({ width: 1280, height: 860 }), () => press(page, "e")]) {
      await change();
      await fits();
      assert.equal(await drawnPlots(page), 1);
      assert.deepEqual(await illegible(page.locator(".plot")), []);
    }
  });
});

test("of many plots only those are drawn that the reader comes to; on paper are all", async () => {
  const many = 30;
  const { url } = render("many", Array.from({ length: many }, (_, i) => [line(`plot ${i}`)]));
  await withPage(url, {}, async (page) => {
    await comeTo(page.locator(".plot").first());
    await page.waitForTimeout(300);
    assert.ok((await drawnPlots(page)) < 10, "at the beginning");
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await page.locator(".plot").last().locator(".chart > div > svg").waitFor();
    assert.ok((await drawnPlots(page)) < 20, "at the end");
    assert.deepEqual(await page.evaluate(() => window.shifts), []);
    await page.pdf();
    assert.equal(await drawnPlots(page), many);
  });
});

const bars = { data: { values }, mark: "bar", encoding: { x: { field: "a" }, y: { field: "b", type: "quantitative" } } };

test("without script there are a picture, caption and specification, and the picture alone on paper", async () => {
  const { url } = onePlot();
  for (const [theme, size] of [["light", wide], ["dark", phone]]) {
    await withPage(url, { script: false, theme, ...size }, async (page) => {
      const shown = await page.locator(".chart > svg:visible").evaluateAll((all) => all.map((svg) => svg.getBoundingClientRect().toJSON()));
      assert.equal(shown.length, 1, "one of the two pictures");
      assert.equal(shown[0].height, 320);
      assert.equal(shown[0].width, size === phone ? 340 : 700);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), size.width);
      assert.deepEqual(await illegible(page.locator(".plot")), []);
      assert.ok(await page.isVisible(".plot figcaption em"));
      await page.click(".plot summary");
      assert.deepEqual(JSON.parse(await page.locator(".plot pre").textContent()), line("one"));
      await page.emulateMedia({ media: "print" });
      assert.equal(await page.locator(".chart > svg:visible").count(), 1);
      assert.ok(!(await page.isVisible(".plot details")), "it stands for its specification");
      assert.equal(await page.locator(".chart text").first().evaluate((text) => getComputedStyle(text).fill), "rgb(68, 68, 68)", "dark on white");
    });
  }
});

test("the script draws in the picture's place, and nothing moves", async () => {
  const views = { data: { values }, hconcat: [bars, bars].map(({ mark, encoding }) => ({ mark, encoding, width: 300, height: 400 })) };
  const { url } = render("replaced", [[line("one")], [views], [line("two")]]);
  for (const size of [wide, phone]) {
    const heights = (page) => page.locator(".chart").evaluateAll((all) => all.map((chart) => chart.getBoundingClientRect().height));
    const undrawn = await openPage(url, { ...size, prepare: (page) => page.route("**/plots.js", (route) => route.abort()) });
    assert.equal(await undrawn.locator(".chart > svg").count(), 5, "that of several views is as large as they are");
    const before = await heights(undrawn);
    await undrawn.context().close();
    await withPage(url, size, async (page) => {
      for (const plot of await page.locator(".plot").all()) await comeTo(plot);
      assert.equal(await page.locator(".chart > svg").count(), 0);
      assert.deepEqual(await heights(page), before);
      assert.deepEqual(await page.evaluate(() => window.shifts), []);
    });
  }
});

test("without Node.js there is a table of the data until the script has drawn", async () => {
  const many = { ...line("many"), data: { values: Array.from({ length: 1234 }, (_, i) => ({ a: i, b: i % 7, c: "<i>&" })) } };
  const { url, said } = render("nodeless", [[many], [line("two")]], { env: { ...process.env, PATH: "/nowhere" } });
  assert.match(said, /^lectern: main\.cpp:3: warning: plot: no picture is made of it, its data are shown as a table: there is no Node\.js[^\n]*\n$/);
  await withPage(url, { script: false }, async (page) => {
    assert.equal(await page.locator(".plot-data table").count(), 2);
    assert.deepEqual(await page.locator(".plot-data").first().locator("th").allTextContents(), ["a", "b", "c"]);
    assert.equal(await page.locator(".plot-data").first().locator("tbody tr").count(), 50);
    assert.equal(await page.locator(".plot-data p").textContent(), "The first 50 of 1,234 rows.");
    assert.equal(await page.locator(".plot-data i").count(), 0);
  });
  await withPage(url, {}, async (page) => {
    assert.ok(!(await page.locator(".plot-data").first().isVisible()));
    await comeTo(page.locator(".plot").first());
    assert.deepEqual(await page.evaluate(() => window.shifts), []);
    await axeIsContent(page, ".lec");
  });
});

test("a wrong specification is an error at its line, and is said in the plot's place", async () => {
  const encoding = { x: { field: "aa" } };
  const { url, said } = render("wrong", [[bars], [{ ...bars, mark: "barr" }], [{ ...bars, encoding }]], { status: 1 });
  assert.match(said, /^lectern: main\.cpp:4: plot: mark: "barr" is not one of .*; did you mean "bar"\?\nlectern: main\.cpp:5: plot: encoding\.x\.field: "aa" is not in the data, which has "a", "b", "c"; did you mean "a"\?\n$/);
  for (const script of [true, false]) {
    await withPage(url, { script }, async (page) => {
      assert.match(await page.locator(".chart").nth(1).textContent(), /^This plot can’t be drawn: mark: "barr" is not one of/);
      assert.ok(await page.locator(".chart").nth(1).isVisible());
      assert.equal(await page.locator(".chart.failed").count(), 2);
    });
  }
});

test("when plots.js is missing the picture stays", async () => {
  const { url } = onePlot();
  const copy = join(folder, "copy");
  cpSync(join(folder, "site"), copy, { recursive: true });
  rmSync(join(copy, "assets/plots.js"));
  const page = await openPage(url.replace("/site/", "/copy/"));
  await page.locator(".plot").scrollIntoViewIfNeeded();
  await page.waitForTimeout(500);
  assert.equal(await page.locator(".chart > svg:visible").count(), 1);
  assert.equal(await page.locator(".chart .missing").count(), 0);
  await page.context().close();
});

const evil = "<img src=x onerror=\"alert(1)\"><script>alert(2)</script>";
const outside = "https://intruder.example/x";

/** Specifications, and what the page says instead of a plot; undefined where it is drawn, but does nothing else. */
const bad = {
  "a list": [[1, 2], /is not an object/],
  "a text": ["mark", /is not an object/],
  nothing: [null, /is not an object/],
  "no mark": [{ a: 1 }, /is missing/],
  "a mark that is none": [{ ...bars, mark: evil }, /is not one of/],
  "Vega instead of Vega-Lite": [{ $schema: "https://vega.github.io/schema/vega/v5.json", marks: [] }, /one of Vega, not of Vega-Lite/],
  "data of a URL": [{ ...bars, data: { url: outside } }, /do not load/],
  "data beside the page": [{ ...bars, data: { url: "steps.js" } }, /do not load/],
  "looked up at a URL": [{ ...bars, transform: [{ lookup: "a", from: { data: { url: outside }, key: "a", fields: ["z"] } }] }, /do not load/],
  "an image": [{ ...bars, mark: { type: "image", url: outside } }, /images from files/],
  "images by field": [{ data: { values: [{ u: outside }] }, mark: "image", encoding: { url: { field: "u" } } }, /images from files/],
  "a fill from elsewhere": [{ ...bars, mark: { type: "bar", fill: `url(${outside}#a)` } }, /names a file/],
  "a cursor from elsewhere": [{ ...bars, mark: { type: "bar", cursor: `URL("${outside}"), auto` } }, /is not one of/],
  "an expression that calls": [{ ...bars, transform: [{ calculate: "alert(1)", as: "z" }] }, /alert/],
  "an expression that climbs": [{ ...bars, transform: [{ calculate: "datum['constructor']['constructor']('alert(1)')()", as: "a" }] }, /./],
  "an expression that is none": [{ ...bars, transform: [{ filter: "((" }] }, /its expression "\(\(" cannot be read: it ends too early/],
  "an expression with a comma": [{ ...bars, transform: [{ calculate: "datum.a, 1", as: "a" }] }, /its expression "datum\.a, 1" cannot be read: there are no commas/],
  "an endless sequence": [{ ...bars, data: { sequence: { start: 0, stop: 1e12, as: "b" } }, encoding: { y: bars.encoding.y } }, /sequence of more than/],
  "an endless sequence made by an expression": [{ ...bars, transform: [{ calculate: "length(sequence(1e12))", as: "a" }] }, /sequence of more than/],
  "a billion ticks": [{ ...bars, encoding: { ...bars.encoding, y: { field: "b", type: "quantitative", axis: { tickCount: 1e9 } } } }, /tickCount/],
  "controls in the page": [{ ...bars, params: [{ name: "p", bind: { element: "body", input: "range" } }] }, /bound to a part of the page/],
  "a control that loads": [{ ...bars, params: [{ name: "p", bind: { input: "image", src: outside } }] }, /knows no "src"/],
  "texts that mean harm": [{ ...bars, title: evil, description: evil, encoding: { x: { field: "c", title: evil }, y: { datum: evil }, tooltip: { value: evil } } }, undefined],
  "links that mean harm": [{ ...bars, mark: { type: "bar", href: "javascript:alert(1)", tooltip: true } }, undefined],
  "links to elsewhere": [{ ...bars, mark: { type: "bar", href: outside } }, undefined],
  "names of a prototype": [JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"config":{"__proto__":{"polluted":1}},"mark":"bar","data":{"values":[{"__proto__":{"polluted":1}}]}}'), /knows no "__proto__"/],
};

test("what cannot be drawn, and what should not, is said in the plot's place; nothing else happens", async () => {
  const names = Object.keys(bad);
  const { url, steps } = render("bad", names.map((name) => [bad[name][0]]), { status: 1 });
  await withPage(url, {}, async (page) => {
    for (const [number, name] of names.entries()) {
      const plot = page.locator(".plot").nth(number);
      await comeTo(plot);
      const said = await plot.locator(".chart").textContent();
      const expected = bad[name][1];
      assert.equal(await plot.locator("svg").count(), expected ? 0 : 1, `${name}: ${said}`);
      if (expected) {
        assert.match(said, /^This plot can’t be drawn: /, name);
        assert.match(said, expected, name);
        assert.ok(said.length < 600, name);
      } else {
        for (const mark of await plot.locator(".mark-rect path").all()) await mark.dispatchEvent("click", {}, { timeout: 1000 });
        await plot.locator(".mark-rect path").first().hover({ force: true, timeout: 2000 }).catch(() => {});
      }
      assert.deepEqual(JSON.parse(await plot.locator("pre").textContent()), JSON.parse(JSON.stringify(bad[name][0])), `${name}: its specification`);
    }
    assert.equal(await page.locator(".plot :is(img, image, script, iframe, a, form)").count(), 0);
    assert.equal(await page.evaluate(() => ({}).polluted), undefined);
    await goTo(page, steps - 1);
    await press(page, "ArrowLeft");
    assert.match(await page.locator("#where b").textContent(), new RegExp(`^step ${steps - 1} of`), "stepping still works");
    assert.ok(page.url().startsWith(url), "the page is still there");
    await page.setViewportSize(phone);
    await setTheme(page, "dark");
    await axeIsContent(page, ".lec");
  });
});

test("several views keep their sizes and scroll, controls stand under the plot", async () => {
  const views = { data: { values }, hconcat: [bars, bars, bars].map(({ mark, encoding }) => ({ mark, encoding, width: 300 })) };
  const controlled = { ...bars, params: [{ name: "least", value: 2, bind: { input: "range", min: 0, max: 10, step: 1, name: "least value" } }], transform: [{ filter: "datum.b >= least" }] };
  const { url } = render("views", [[views], [controlled]]);
  await withPage(url, { width: 390, height: 780 }, async (page) => {
    const [several, one] = await page.locator(".plot").all();
    await comeTo(several);
    const [wide, place] = await several.locator(".chart").evaluate((chart) => [chart.scrollWidth, chart.clientWidth]);
    assert.ok(wide > place);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, "the page does not");
    await comeTo(one);
    const bar = one.locator(".mark-rect path");
    const before = await bar.count();
    await one.getByLabel("least value").fill("9");
    await page.waitForFunction((count) => document.querySelectorAll(".plot")[1].querySelectorAll(".mark-rect path").length < count, before);
    await axeIsContent(page, ".lec");
  });
});
