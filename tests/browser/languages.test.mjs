// Texts in several languages, and captions.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { cues, mediaSite, openMedia } from "./media_lecture.mjs";
import { colours, goTo, press, setTheme, startServer, violations } from "./support.mjs";

const shownTexts = (page) => page.evaluate(() => [...document.querySelectorAll("main [lang]:not(ol)")].filter((each) => each.checkVisibility()).map((each) => `${each.lang}: ${each.innerText.trim().split("\n").at(-1)}`));
const outline = (page) => page.evaluate(() => [...document.querySelectorAll("nav.out a")].filter((each) => each.checkVisibility()).map(({ textContent }) => textContent));

test("the build warns of what is not there in a language of the site, and of what is in another", () => {
  const { stderr } = mediaSite();
  assert.match(stderr, /media\.cpp:9: warning: this is not there in "fr", one of the site's languages; translate it/);
  assert.match(stderr, /media\.cpp:9: warning: "de" is not among the languages of site\.toml/);
  assert.doesNotMatch(stderr, /media\.cpp:8: /, "both are there");
  assert.doesNotMatch(stderr, /media\.cpp:10: /, "a quotation is no translation");
});

test("without a script all languages are shown, each as what it is", async () => {
  const page = await openMedia({ script: false });
  assert.deepEqual(await shownTexts(page), ["en: Hello", "fr: Bonjour", "en: Only in English", "de: Nur deutsch", "fr: Le mot juste", "en: A note", "ar: ملاحظة", "en: as it is", "fr: tel quel", "en: Two", "fr: Deux"]);
  const arabic = page.locator('.tongue[lang="ar"]');
  assert.equal(await arabic.getAttribute("dir"), "rtl");
  assert.equal(await arabic.locator("p").last().evaluate((each) => getComputedStyle(each).direction), "rtl");
  assert.equal(await page.locator("#language").isVisible(), false);
  await page.context().close();
});

test("a reader chooses a language, which is kept", async () => {
  const page = await openMedia();
  const english = ["en: Hello", "en: Only in English", "fr: Le mot juste", "en: A note", "en: as it is", "en: Two"];
  assert.deepEqual(await shownTexts(page), english, "the browser's, or the lecture's own");
  assert.deepEqual(await outline(page), ["Begin", "Words"]);
  const choice = page.getByLabel("Language of the text");
  assert.deepEqual(await choice.locator("option").allTextContents(), ["English", "français", "Deutsch", "العربية"]);
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 860 });
    await choice.click({ trial: true, timeout: 5000 }); // nothing lies over it
  }
  await choice.focus();
  await choice.selectOption("fr");
  const french = ["fr: Bonjour", "en: Only in English", "de: Nur deutsch", "fr: Le mot juste", "en: A note", "ar: ملاحظة", "fr: tel quel", "fr: Deux"];
  assert.deepEqual(await shownTexts(page), french, "what is not there in it is shown as it is");
  assert.deepEqual(await outline(page), ["Begin", "Mots"]);
  await page.reload();
  await page.waitForSelector("html.ready");
  assert.deepEqual(await shownTexts(page), french);
  assert.equal(await choice.inputValue(), "fr");
  await press(page, "ArrowRight", 3);
  assert.deepEqual(await shownTexts(page), french, "stepping keeps it");
  assert.deepEqual(await page.evaluate(() => window.shifts), []);
  assert.deepEqual(await page.evaluate(() => window.violations), []);
  await page.context().close();
});

test("speaker's notes are in the language that is read, on the page and in the speaker's window", async () => {
  const page = await openMedia();
  const notes = page.locator(".note:visible p:not(.box-title)");
  assert.equal(await notes.count(), 0);
  await press(page, "n");
  assert.deepEqual(await notes.allTextContents(), ["Say this slowly"]);
  await press(page, "n");
  const last = await page.evaluate(() => document.querySelectorAll(".note")[0].closest("[data-site]").dataset.site);
  await goTo(page, Number(last));
  const [speaker] = await Promise.all([page.waitForEvent("popup"), page.keyboard.press("S")]);
  await speaker.waitForFunction(() => document.getElementById("notes")?.textContent.trim() === "Say this slowly");
  await page.getByLabel("Language of the text").selectOption("fr");
  await speaker.waitForFunction(() => document.getElementById("notes").textContent.trim() === "Dites-le lentement");
  assert.equal(await speaker.locator("#notes [lang]").getAttribute("lang"), "fr");
  await page.context().close();
});

test("a browser's language is chosen at first", async () => {
  const page = await openMedia({ prepare: (made) => made.addInitScript(() => Object.defineProperty(navigator, "languages", { value: ["fr-CA", "en"] })) });
  assert.ok((await shownTexts(page)).includes("fr: Bonjour"));
  await page.context().close();
});

test("axe finds nothing to object to, wide and on a phone", async () => {
  const page = await openMedia();
  await page.waitForSelector(".block-tool.enlarges", { state: "attached" });
  assert.deepEqual(await violations(page), []);
  await setTheme(page, "dark");
  assert.deepEqual(await violations(page, "html", colours), []);
  await page.setViewportSize({ width: 390, height: 800 });
  assert.deepEqual(await violations(page, "html", { runOnly: ["scrollable-region-focusable", "target-size"] }), []);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0);
  assert.ok(await page.locator("#language").isVisible());
  await page.context().close();
});

const tracks = (page) => page.evaluate(() => [...document.querySelectorAll("track")].map(({ kind, srclang, label, default: first, track }) => ({ kind, srclang, label, first, mode: track.mode, cues: [...(track.cues ?? [])].map((cue) => cue.text) })));

for (const origin of ["file", "served"]) {
  test(`a video has its captions (${origin})`, async () => {
    const url = origin === "served" ? new URL("media/index.html", await startServer(mediaSite().folder)).href : undefined;
    const page = await openMedia({ url });
    await page.waitForFunction(() => document.querySelector("track").track.cues?.length > 0);
    const [first, second] = await tracks(page);
    assert.deepEqual({ ...first, cues: first.cues.map((text) => text.replace(/<[^>]*>/g, "").replace("&amp;", "&")) }, { kind: "captions", srclang: "en", label: "English", first: true, mode: "showing", cues });
    assert.deepEqual({ kind: second.kind, srclang: second.srclang, label: second.label, first: second.first }, { kind: "captions", srclang: "fr", label: "fr", first: false });
    assert.match(await page.locator("video").getAttribute("poster"), /^assets\/one\.svg$/);
    await page.context().close();
  });
}

test("what a video says is below it, too", async () => {
  const page = await openMedia({ script: false });
  assert.deepEqual(await page.locator(".transcript").first().locator("li").evaluateAll((all) => all.map((each) => each.textContent)), [`0:00 ${cues[0]}`, `0:01 ${cues[1]}`]);
  assert.equal(await page.locator(".transcript").count(), 2);
  await page.context().close();
});
