import assert from "node:assert/strict";
import { bothOrigins, drawn, goTo, message, onOneLecture, onTwoLectures, press, reload, shownStep } from "./support.mjs";

const hashOf = (page) => page.evaluate(() => location.hash);
const messageShown = (page) => page.locator("#message").isVisible();

/** Follows a link within the page. */
const follow = (page, hash) => page.evaluate((there) => (location.hash = there), hash);

async function waitForStep(page, step) {
  await page.waitForFunction((words) => document.querySelector("#where b").textContent.startsWith(words), `step ${(step + 1).toLocaleString("en")} of`);
}

/** The link to the step that is shown, which comes when the reader pauses. */
async function linkOf(page, step) {
  await page.waitForFunction((tail) => location.hash.includes("/") && location.hash.endsWith(tail), `@${step + 1}`);
  return hashOf(page);
}

onOneLecture("a link to a step opens at that step, wherever its number says", async (open, lecture) => {
  const page = await open();
  const other = await open();
  const last = lecture.data.at.length - 1;
  for (const step of new Set([1, Math.floor(last / 2), last])) {
    await goTo(page, step - 1);
    await press(page, "ArrowRight");
    const link = await linkOf(page, step);
    assert.match(link, /^#step=[^/]+\/\d+\.\d+\+?@\d+$/);
    await reload(other, link);
    assert.equal(await shownStep(other), step);
    assert.equal(await messageShown(other), false);
    // The number is only the fallback: a wrong one does not lead astray.
    await goTo(other, 0);
    await follow(other, link.replace(/@\d+$/, "@1"));
    await waitForStep(other, step);
  }
});

onTwoLectures("every step's link leads back to it", async (open, lecture) => {
  const page = await open.shared();
  const count = Math.min(lecture.data.at.length, 120);
  await goTo(page, 0);
  const links = [];
  for (let step = 17; step < count; step += 17) {
    await press(page, "ArrowRight", 17);
    links.push([step, await linkOf(page, step)]);
  }
  for (const [step, link] of links) {
    await follow(page, link.replace(/@\d+$/, ""));
    await waitForStep(page, step);
  }
});

onOneLecture("a link whose statement is gone falls back on the number and says so", async (open, lecture) => {
  const step = Math.min(2, lecture.data.at.length - 1);
  const page = await open({ hash: `#step=no_such%3A%3Afunction~00000000/1.1@${step + 1}` });
  assert.equal(await shownStep(page), step);
  assert.match(await message(page), /not in this version/);
});

onOneLecture("an impossible step is told, and the page is all there", async (open, lecture) => {
  const beyond = lecture.data.at.length + 1;
  const impossible = [`#step=${beyond}`, "#step=0", "#step=99999999999999999999", `#step=gone~00000000/1.1@${beyond}`];
  const unreadable = ["#step=", "#step=%E0%A4%A", "#step=//@@", "#step=a/b.c@d"];
  const checkImpossible = async (page, hash) => {
    assert.match(await message(page), /There is no step|there is no step/, hash);
    assert.match(await message(page), new RegExp(lecture.data.at.length.toLocaleString("en")), hash);
    assert.equal(await shownStep(page), 0);
    assert.ok((await page.locator(".row").count()) > 0);
    await page.click("#message button");
    assert.equal(await messageShown(page), false);
  };
  const checkUnreadable = async (page, hash) => {
    assert.match(await message(page), /can’t be read/, hash);
    assert.equal(await shownStep(page), 0);
    assert.deepEqual(page.complaints, []);
    await page.click("#message button");
  };
  for (const [[first, ...others], check] of [[impossible, checkImpossible], [unreadable, checkUnreadable]]) {
    const page = await open({ hash: first });
    await check(page, first);
    for (const hash of others) {
      await follow(page, hash);
      await page.locator("#message").waitFor();
      await check(page, hash);
    }
  }
});

onOneLecture("steps share one history entry, a jump has its own", async (open, lecture) => {
  const page = await open();
  const entries = () => page.evaluate(() => history.length);
  const moves = Math.min(8, lecture.data.at.length - 1);
  const before = await entries();
  await press(page, "ArrowRight", moves);
  await linkOf(page, moves);
  assert.equal(await entries(), before);
  await page.click('[data-action="first"]');
  await drawn(page);
  assert.equal(await entries(), before + 1);
  assert.equal(await shownStep(page), 0);
  await page.goBack();
  await drawn(page);
  assert.equal(await shownStep(page), moves, "Back returns from the jump");
  await page.goForward();
  await drawn(page);
  assert.equal(await shownStep(page), 0);
}, { from: bothOrigins });

onOneLecture("a reload stays at the step", async (open, lecture) => {
  const page = await open();
  const step = Math.min(5, lecture.data.at.length - 1);
  await press(page, "ArrowRight", step);
  await linkOf(page, step);
  await reload(page);
  await drawn(page);
  assert.equal(await shownStep(page), step);
}, { from: bothOrigins });

onOneLecture("Back returns from the first jump, too, to a page whose address has no step", async (open, lecture) => {
  const page = await open();
  const entries = () => page.evaluate(() => history.length);
  const before = await entries();
  await page.click('[data-action="first"]');
  await drawn(page);
  assert.equal(await entries(), before, "the first step was shown already: nothing to come back from");
  for (const moves of [0, 2]) {
    await reload(page, "#");
    await press(page, "ArrowRight", moves);
    const { x, y, width, height } = await page.locator("#progress").boundingBox();
    await page.mouse.click(x + width - 9, y + height / 2);
    await drawn(page);
    assert.equal(await shownStep(page), lecture.data.at.length - 1);
    await page.goBack();
    await waitForStep(page, moves);
    await drawn(page);
    assert.ok(await page.locator(".now:visible").first().evaluate((row) => row.getBoundingClientRect().bottom > 0));
    await page.goForward();
    await waitForStep(page, lecture.data.at.length - 1);
  }
}, { from: bothOrigins });
