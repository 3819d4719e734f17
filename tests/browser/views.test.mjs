import assert from "node:assert/strict";
import { test } from "node:test";
import { bothOrigins, drawn, facts, goTo, longestFirst, onOneLecture, onTwoLectures, openPage, press, reload, shownStep } from "./support.mjs";
import { lines, passes, showing, url } from "./unusual_lecture.mjs";

const visibleRows = (page) =>
  page.$$eval(".row", (rows) => rows.filter((row) => row.checkVisibility({ visibilityProperty: true })).length);

onTwoLectures("raw view shows every line of the source as it was written", async (open, lecture) => {
  const page = await open.shared();
  await press(page, "r");
  const sources = new Set(lecture.data.functions.map(([, source]) => source));
  for (const source of sources) {
    const lines = await page.$$eval(`.source[data-source="${source}"]  .row.code`, (rows) =>
      rows.filter((row) => row.checkVisibility()).map((row) => Number(row.dataset.line)),
    );
    assert.deepEqual(lines, Array.from({ length: lines.length }, (_, i) => i + 1), "line numbers without gaps");
  }
  assert.equal(await page.locator(".row.shown:visible").count(), 0);
  await press(page, "r");
});

onOneLecture("raw view is switched by key and by button", async (open) => {
  const page = await open.shared();
  const rendered = () => page.locator(".row.shown:visible").count();
  const before = await rendered();
  for (const toggle of [() => press(page, "r"), () => page.click('[data-action="raw"]')]) {
    await toggle();
    assert.equal(await page.getAttribute('[data-action="raw"]', "aria-pressed"), "true");
    assert.equal(await rendered(), 0);
    await toggle();
    assert.equal(await page.getAttribute('[data-action="raw"]', "aria-pressed"), "false");
    assert.equal(await rendered(), before);
  }
});

onOneLecture("what only raw view shows comes with it: marks, breakpoints and chips are there too", async (open, lecture) => {
  const page = await open();
  assert.equal(await page.locator(".row.raw").count(), 0);
  const { at, sites } = lecture.data;
  const shown = new Set(await page.$$eval(".row.shown[id]", (rows) => rows.map((row) => Number(row.dataset.site))));
  const hook = at.findIndex((site) => shown.has(site));
  await goTo(page, hook);
  await press(page, "b");
  await press(page, "r");
  const [source, line] = sites[at[hook]];
  const row = page.locator(`[id="s${source}-${line}r"]`);
  assert.match(await row.getAttribute("class"), /\bnow\b/);
  assert.match(await row.getAttribute("class"), /\bbreak\b/);
});

onOneLecture("without its file, or with one of another run, raw view says so and the page goes on", async (open) => {
  let file = { body: 'lecternSource(["of another run"])' };
  const page = await open({ prepare: (it) => it.route("**/source.js", (route) => (file ? route.fulfill(file) : route.abort())) });
  await press(page, "r");
  assert.match(await page.locator("#message").textContent(), /source\.js/);
  await page.locator("#message button").click();
  assert.equal((await page.locator("main").innerHTML()).includes("of another run"), false);
  file = undefined;
  await press(page, "r");
  assert.match(await page.locator("#message").textContent(), /source\.js/);
  assert.equal(await page.getAttribute('[data-action="raw"]', "aria-pressed"), "false");
  await press(page, "ArrowRight");
  assert.equal(await shownStep(page), 1);
  page.complaints.length = 0; // the browser tells of the file, too
});

onTwoLectures("functions stand in the order of the run, and those that it never entered are folded", async (open, lecture) => {
  const page = await open.shared();
  await press(page, "r", 2); // a part has lines that only raw view shows
  const parts = await page.$$eval(".part", (all) =>
    all.map((part) => {
      const fold = part.querySelector(".fold");
      const lines = [...part.querySelectorAll(".row[data-line]")].map((row) => Number(row.dataset.line));
      const source = Number(part.closest(".source").dataset.source);
      return { source, first: Math.min(...lines), last: Math.max(...lines), folded: fold !== null && !fold.open };
    }),
  );
  const { at, sites } = lecture.data;
  const steps = parts.map(({ source, first, last }) =>
    at.findIndex((site) => sites[site][0] === source && first <= sites[site][1] && sites[site][1] <= last),
  );
  const entered = steps.filter((step) => step >= 0);
  assert.deepEqual(entered, [...entered].sort((a, b) => a - b));
  assert.equal(entered[0], 0, "first what ran first");
  parts.forEach(({ folded, source, first }, i) => assert.ok(!(folded && steps[i] >= 0), `line ${first} of file ${source} ran and is folded`));
  assert.ok((await page.locator(".fold").count()) > 0);
});

onOneLecture("raw view brings files in their own order, and back", async (open, lecture, skip) => {
  const page = await open.shared();
  const parts = () => page.$$eval(".part", (all) => all.map((part) => `${part.closest(".source").dataset.source}:${part.dataset.line}`));
  const before = await parts();
  const numbers = (part) => part.split(":").map(Number);
  const files = [...new Set(before.map((part) => numbers(part)[0]))];
  const wanted = [...before].sort((a, b) => files.indexOf(numbers(a)[0]) - files.indexOf(numbers(b)[0]) || numbers(a)[1] - numbers(b)[1]);
  if (wanted.join() === before.join()) return skip("it ran in the order of its files");
  await press(page, "r");
  assert.deepEqual(await parts(), wanted);
  assert.equal(await page.locator(".source:visible:not(:has(.part))").count(), 0, "no empty section");
  await press(page, "r");
  assert.deepEqual(await parts(), before);
}, { among: longestFirst });

onOneLecture("the top of a source is folded, opened by a link into it and in raw view", async (open, lecture, skip) => {
  const page = await open();
  if ((await page.locator(".fold").count()) === 0) return skip("nothing stands above the first function");
  const fold = page.locator(".fold").first();
  const isOpen = () => fold.evaluate((element) => element.open);
  assert.equal(await isOpen(), false);
  await press(page, "r");
  assert.equal(await isOpen(), true, "in raw view");
  await press(page, "r");
  assert.equal(await isOpen(), false, "as it was left");
  const line = await fold.locator(".row.code:not(.raw)").last().getAttribute("id");
  const linked = await open({ hash: `#${line}` });
  assert.equal(await linked.locator(".fold").first().evaluate((element) => element.open), true);
  assert.ok(await linked.isVisible(`#${line}`));
  await fold.locator("summary").focus();
  await page.keyboard.press("Enter");
  assert.equal(await isOpen(), true, "by keyboard");
});

onTwoLectures("gradual reveal shows what was reached and nothing else, and moves nothing", async (open, lecture) => {
  const page = await open.shared();
  await goTo(page, 0);
  const height = () => page.evaluate(() => document.querySelector(".lec").offsetHeight);
  const full = await height();
  const all = await visibleRows(page);
  await press(page, "a");
  const first = await visibleRows(page);
  assert.ok(first < all, `${first} of ${all} rows at the first step`);
  const headings = await page.$$eval(".fold > summary, .references > ol > li", (all) => all.filter((each) => each.checkVisibility({ visibilityProperty: true })).map((each) => each.textContent));
  assert.equal(await height(), full);
  await goTo(page, Math.floor((lecture.data.at.length - 1) / 2));
  const middle = await visibleRows(page);
  assert.ok(middle >= first);
  assert.ok(await page.$$eval(".row.now", (rows) => rows.every((row) => !row.classList.contains("ahead"))));
  await goTo(page, lecture.data.at.length - 1);
  assert.equal(await page.locator(".ahead").count(), 0, "all is there at the end");
  const later = await page.$$eval(".fold > summary, .references > ol > li", (all) => all.length);
  assert.ok(headings.length < later, `${headings.length} of ${later} headings of folds and references at the first step`);
  await press(page, "a");
  assert.equal(await page.locator(".row.ahead").count(), 0);
});

onOneLecture("notes are out of the way until asked for", async (open, lecture, skip) => {
  if (!/class="note"/.test(lecture.html)) return skip("no notes");
  const page = await open.shared();
  assert.equal(await page.locator(".note:visible").count(), 0);
  await press(page, "n");
  assert.equal(await page.locator(".note:visible").count(), await page.locator(".note").count());
  await page.click('[data-action="notes"]');
  assert.equal(await page.locator(".note:visible").count(), 0);
});

onOneLecture("the state beside the code can be put away and stays away", async (open) => {
  const page = await open();
  assert.ok(await page.isVisible(".env"));
  await press(page, "e");
  assert.ok(!(await page.isVisible(".env")));
  await reload(page);
  assert.ok(!(await page.isVisible(".env")), "after a reload");
  assert.equal(await page.getAttribute('[data-action="env"]', "aria-pressed"), "false");
  await page.click('[data-action="env"]');
  assert.ok(await page.isVisible(".env"));
}, { from: bothOrigins });

onTwoLectures("variables have the values of their step, none before it, and changes are marked", async (open, lecture, skip) => {
  const { data } = lecture;
  const steps = Object.keys(data.vars).map(Number);
  if (steps.length === 0) return skip("nothing is inspected");
  const page = await open.shared();
  if (steps[0] > 0) {
    await goTo(page, steps[0] - 1);
    assert.equal(await page.locator("#vars .var").count(), 0);
    assert.ok(await page.isVisible("#vars .none"));
  }
  for (const step of steps.slice(0, 12)) {
    await goTo(page, step);
    const inspected = data.vars[step].filter(([name]) => !data.clear[step]?.includes(name));
    const { shown, expected, chips } = await page.evaluate(([site, variables]) => ({
      shown: [...document.querySelectorAll("#vars .var")].map((element) => ({
        name: element.querySelector(".b").textContent,
        type: element.querySelector(".ty").textContent,
        mark: element.querySelector(".new").textContent,
        // But for the marks of what changed within it.
        html: element.querySelector(".value").innerHTML.replaceAll(/ class="differs"|(?<=class="[^"]*) differs(?=")/g, ""),
      })),
      expected: variables.map(([, html]) => Object.assign(document.createElement("div"), { innerHTML: html }).innerHTML),
      chips: variables.map(([name]) => document.querySelector(`.chip.on[data-site="${site}"][data-name=${JSON.stringify(name)}] i`)?.textContent),
    }), [data.at[step], inspected.map(([name, value]) => [name, data.html[data.values[value][2]]])]);
    for (const [number, [name, value]] of inspected.entries()) {
      const [type, text] = data.values[value];
      const found = shown.find((entry) => entry.name === name);
      assert.ok(found, `${name} at step ${step}`);
      assert.equal(found.type, type);
      assert.equal(found.html, expected[number]);
      if (chips[number] !== undefined) assert.equal(chips[number], text);
    }
    assert.ok(shown.filter((entry) => /new|changed/.test(entry.mark)).every((entry) => data.vars[step].some(([name]) => name === entry.name)));
  }
});

onOneLecture("a click on a frame shows the variables of that frame", async (open, lecture, skip) => {
  const run = facts(lecture.data);
  const call = run.call();
  if (call === undefined) return skip("no calls");
  const page = await open.shared();
  await goTo(page, call);
  const outer = await page.$$eval("#vars .b", (names) => names.map((name) => name.textContent));
  await press(page, "ArrowRight");
  const frames = page.locator("#stack button");
  const depth = await frames.count();
  assert.equal(depth, run.depthOf(call + 1));
  await frames.nth(depth - 2).click();
  assert.equal(await frames.nth(depth - 2).getAttribute("aria-current"), "true");
  assert.deepEqual(await page.$$eval("#vars .b", (names) => names.map((name) => name.textContent)), outer);
  assert.equal(await shownStep(page), call + 1, "the step stays");
});

test("what a statement rendered is that of its latest execution", async () => {
  const page = await openPage(url);
  const text = () => page.locator(`#s0-${lines.shown} > .slot`).innerText();
  assert.equal(await text(), `Pass ${passes - 1}`, "the last one before any step");
  for (const pass of [passes - 1, 0, 1]) {
    await goTo(page, showing(pass));
    assert.equal(await text(), `Pass ${pass}`);
  }
  await goTo(page, showing(2) - 1);
  assert.equal(await text(), "Pass 1", "until it runs again");
  await goTo(page, 0);
  assert.equal(await text(), "Pass 0", "the first one before it ran");
  await page.context().close();
});

onOneLecture("the keys are listed, and single keys can be switched off for good", async (open) => {
  const page = await open();
  await press(page, "?");
  assert.ok(await page.isVisible("dialog.help"));
  assert.match(await page.locator("dialog.help").textContent(), /Step over calls/);
  await page.keyboard.press("l");
  await page.uncheck("#single-keys");
  await page.keyboard.press("Escape");
  assert.ok(!(await page.isVisible("dialog.help")));
  assert.equal(await shownStep(page), 0, "keys in the dialog are not the stepper's");
  await press(page, "l");
  assert.equal(await shownStep(page), 0, "letters do nothing");
  await press(page, "ArrowRight");
  assert.equal(await shownStep(page), 1, "arrows still step");
  await reload(page);
  await press(page, "r");
  assert.equal(await page.getAttribute('[data-action="raw"]', "aria-pressed"), "false", "after a reload");
});

onOneLecture("no key is taken with a modifier, while typing, or from a link that has focus", async (open) => {
  const page = await open();
  for (const key of ["Control+ArrowRight", "Alt+l", "Meta+ArrowRight", "Control+Shift+L"]) {
    await page.evaluate(() => {
      window.taken = undefined;
      addEventListener("keydown", (event) => (window.taken = event.defaultPrevented), { once: true });
    });
    await page.evaluate((combination) => {
      const parts = combination.split("+");
      document.body.dispatchEvent(new KeyboardEvent("keydown", {
        key: parts.at(-1), bubbles: true, cancelable: true, ctrlKey: parts.includes("Control"), altKey: parts.includes("Alt"),
        metaKey: parts.includes("Meta"), shiftKey: parts.includes("Shift"),
      }));
    }, key);
    await drawn(page);
    assert.equal(await page.evaluate(() => window.taken), false, key);
  }
  await page.focus("a.mark");
  await press(page, "ArrowRight");
  await page.evaluate(() => {
    document.querySelector("main").insertAdjacentHTML("beforeend", '<input id="typing">');
    document.getElementById("typing").focus();
  });
  await press(page, "l");
  await press(page, "ArrowRight");
  assert.equal(await page.inputValue("#typing"), "l");
  assert.equal(await shownStep(page), 0);
});

onOneLecture("g goes to the list of lectures", async (open, lecture) => {
  const page = await open();
  await page.keyboard.press("g");
  await page.waitForURL((url) => !url.pathname.includes(`/${lecture.name}/`));
  assert.ok((await page.locator(`a[href*="${lecture.name}"]`).count()) > 0);
});

onOneLecture("the theme is set before anything is painted, and is remembered", async (open) => {
  const atBody = async (page) => {
    await page.addInitScript(() => {
      new MutationObserver((_, observer) => {
        if (!document.body) return;
        window.themeAtBody = document.documentElement.dataset.theme;
        observer.disconnect();
      }).observe(document, { childList: true, subtree: true });
    });
  };
  const page = await open({ theme: "dark", prepare: atBody });
  const seen = () => page.evaluate(() => window.themeAtBody);
  assert.equal(await seen(), "dark", "the system's");
  await page.emulateMedia({ colorScheme: "light" });
  await reload(page);
  assert.equal(await seen(), "light", "the system's");
  await page.click('[data-action="theme"]');
  await reload(page);
  assert.equal(await seen(), "dark", "the reader's");
});

onOneLecture("every press of the theme's button changes what is seen, and every other one follows the system", async (open) => {
  for (const [system, other] of [["light", "dark"], ["dark", "light"]]) {
    const page = await open({ theme: system });
    const button = page.locator('[data-action="theme"]');
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const label = () => button.getAttribute("aria-label");
    const grounds = [await ground()];
    assert.equal(await label(), `Theme: ${system}, as the system`);
    for (const words of [other, `${system}, as the system`, other]) {
      await button.click();
      assert.equal(await label(), `Theme: ${words}`);
      grounds.push(await ground());
    }
    assert.equal(new Set(grounds).size, 2);
    assert.ok(grounds.every((colour, press) => colour === grounds[press % 2]), grounds.join(" "));
    await button.click();
    await page.emulateMedia({ colorScheme: other });
    await page.waitForFunction((colour) => getComputedStyle(document.body).backgroundColor === colour, grounds[1]);
  }
});

/** The mean of all pixels' channels, from 0 to 255. */
function brightness(page, png) {
  return page.evaluate(async (data) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height }).getContext("2d");
    canvas.drawImage(image, 0, 0);
    const channels = canvas.getImageData(0, 0, image.width, image.height).data.filter((_, index) => index % 4 !== 3);
    return channels.reduce((sum, channel) => sum + channel, 0) / channels.length;
  }, png.toString("base64"));
}

onOneLecture("figures have the page's theme, whatever the system's is", async (open, lecture, skip) => {
  if (!/<img class="themed"/.test(lecture.html)) return skip("no figure has colours for dark pages");
  for (const theme of ["light", "dark"]) {
    const page = await open({ storage: { "lectern.theme": theme } });
    const image = await page.locator("img.themed").first().elementHandle();
    await image.scrollIntoViewIfNeeded();
    await image.evaluate((element) => element.decode());
    const ground = () => image.evaluate((element) => getComputedStyle(element).backgroundColor);
    for (const system of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme: system });
      await drawn(page);
      const seen = await brightness(page, await image.screenshot());
      assert.ok(theme === "dark" ? seen < 90 : seen > 200, `${theme} page, ${system} system: a brightness of ${seen}`);
      assert.equal(await ground(), "rgba(0, 0, 0, 0)", `${theme}: it stands on the page`);
    }
    await image.evaluate((element) => element.classList.remove("themed"));
    const light = theme === "dark" ? "rgb(244, 242, 236)" : "rgba(0, 0, 0, 0)";
    assert.equal(await ground(), light, `${theme}: any other image has a light ground where the page is dark`);
  }
});

onTwoLectures("the outline marks the section that is read, in raw view too", async (open, lecture, skip) => {
  const page = await open.shared();
  const links = await page.$$eval("nav.out a", (all) => all.map((link) => decodeURIComponent(link.hash.slice(1))));
  if (links.length < 3) return skip("hardly any section");
  const wanted = Math.floor(links.length / 2);
  const inText = await page.evaluate((ids) => ids.filter((id) => document.getElementById(id).closest(".row")), links);
  const late = Math.min(links.indexOf(inText.at(-1)), links.length - 2); // not the terms and references, which no line shows
  const marked = () => page.$$eval("nav.out a", (all) => all.findIndex((link) => link.getAttribute("aria-current") === "true"));
  const scrollTo = async (id, raw) => {
    await page.evaluate(
      ([heading, suffix]) => {
        const row = document.getElementById(heading).closest(".row");
        const seen = suffix === "" ? row : [...document.querySelectorAll(".row.code")].find((other) => other.dataset.line === row.dataset.line && other.closest(".source") === row.closest(".source"));
        window.scrollTo(0, scrollY + seen.getBoundingClientRect().top - innerHeight / 3 + 20);
      },
      [id, raw],
    );
    await drawn(page);
    await drawn(page);
  };
  for (const raw of ["", "r"]) {
    if (raw) await press(page, "r");
    for (const section of [wanted, 1, late]) {
      await page.evaluate(() => window.scrollTo(0, 0));
      await drawn(page);
      await scrollTo(links[section], raw);
      assert.equal(await marked(), section, `section ${section}${raw ? " in raw view" : ""}`);
    }
  }
  await press(page, "r");
});

onOneLecture("cards of references open on hover and focus, and close with Escape", async (open, lecture, skip) => {
  if (!/class="card"/.test(lecture.html)) return skip("no references");
  for (const width of [1280, 390]) {
    const page = await open({ width });
    const link = page.locator(".row:not(.raw) .ref:has(+ .card):visible").first();
    const card = page.locator(".row:not(.raw) .ref:visible + .card").first();
    await link.scrollIntoViewIfNeeded();
    assert.ok(!(await card.isVisible()));
    await link.hover();
    assert.ok(await card.isVisible(), "on hover");
    const box = await card.boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= width, `the card is within the window: ${box.x} + ${box.width}`);
    await page.keyboard.press("Escape");
    assert.ok(!(await card.isVisible()), "Escape");
    await page.mouse.move(0, 0);
    await page.keyboard.press("Tab");
    await link.focus();
    assert.ok(await card.isVisible(), "on focus");
  }
});

onOneLecture("on a phone the views, the outline and the count of steps are at hand", async (open, lecture, skip) => {
  if (!/data-action="outline"/.test(lecture.html)) return skip("no headings");
  const count = lecture.data.at.length;
  const width = 360;
  const page = await open({ width, height: 780 });
  const buttons = await page.$$eval(".top button", (all) => all.map((button) => ({ name: button.dataset.action, ...button.getBoundingClientRect().toJSON() })));
  for (const name of ["outline", "reveal", "raw", "notes", "env", "theme", "help"]) {
    const box = buttons.find((button) => button.name === name);
    assert.ok(box && box.left >= 0 && box.right <= width && box.width >= 24 && box.height >= 24, `${name} at ${width}: ${JSON.stringify(box)}`);
  }
  const shown = () => page.$eval("#where b", (words) => getComputedStyle(words, "::before").content.slice(1, -1));
  assert.equal(await shown(), `1 / ${count.toLocaleString("en")}`);
  const slider = () => page.$eval("#progress", (input) => Math.round(input.getBoundingClientRect().width));
  const wide = await slider();
  await goTo(page, count - 1);
  assert.equal(await shown(), `${count.toLocaleString("en")} / ${count.toLocaleString("en")}`);
  assert.equal(await slider(), wide, "the count takes the same room at each step");
  await goTo(page, 0);
  await page.click('[data-action="reveal"]');
  assert.ok((await page.locator(".row.ahead").count()) > 0);
  await page.click('[data-action="reveal"]');

  const outline = page.locator("nav.out");
  const button = page.locator('[data-action="outline"]');
  assert.equal(await outline.isVisible(), false);
  await button.click();
  assert.equal(await button.getAttribute("aria-expanded"), "true");
  const [drawer, bar] = await page.evaluate(() => ["nav.out", ".bar"].map((name) => document.querySelector(name).getBoundingClientRect().toJSON()));
  assert.ok(drawer.right < width && Math.abs(drawer.bottom - bar.top) < 1, "between the top and the bar, and not over all");
  assert.equal(await page.evaluate(() => document.activeElement.closest("nav.out") !== null), true);
  await page.keyboard.press("Escape");
  assert.equal(await outline.isVisible(), false);
  assert.equal(await page.evaluate(() => document.activeElement.dataset.action), "outline", "the focus is back");
  await page.keyboard.press("o");
  const link = outline.locator("a").last();
  const id = (await link.getAttribute("href")).slice(1);
  await link.click();
  assert.equal(await outline.isVisible(), false, "a link closes it");
  await page.waitForFunction((to) => document.getElementById(to).getBoundingClientRect().top < innerHeight, id);
  await button.click();
  await page.mouse.click(width - 10, 300);
  assert.equal(await outline.isVisible(), false, "so does a click beside it");
});

onOneLecture("the list of keys explains the marks beside line numbers", async (open) => {
  const page = await open.shared();
  await press(page, "?");
  const words = await page.locator("dialog.help").textContent();
  assert.match(words, /○ marks a line that never ran/);
  assert.match(words, /· one that ran without being recorded/);
  await page.keyboard.press("Escape");
  const marks = await page.evaluate(() =>
    ["never", "unrecorded"].map((name) => {
      const row = Object.assign(document.createElement("div"), { className: `row code ${name}`, innerHTML: '<a class="n">1</a>' });
      document.querySelector(".part").append(row);
      const { content } = getComputedStyle(row.firstChild, "::after");
      row.remove();
      return content.slice(1, 3).trim();
    }),
  );
  assert.deepEqual(marks, ["○", "·"], "as the style sheet draws them");
});
