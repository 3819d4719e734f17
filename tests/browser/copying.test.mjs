// Copying: a value from the state, blocks of the text, formulas, the link to a step.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { openMedia } from "./media_lecture.mjs";
import { goTo, openPage, press, temporaryFolder } from "./support.mjs";

const tensor = (shape, strides, more) => ({ type: "Tensor", dtype: "float32", shape, strides, device: "cpu", ...more });
const words = (count, first) => ({ type: "std::vector<W>", items: Array.from({ length: count }, (_, i) => ({ type: "W", fields: [["n", i === 0 ? first : i]] })) });

const first = {
  x: tensor([2, 3], [3, 1], { storage: 1, storage_bytes: 24, data: [1, -7.5, 3, 4.123456, 5, { float: "nan" }] }),
  column: tensor([2], [3], { offset: 1, storage: 1, storage_bytes: 24, data: [-7.5, 5] }),
  box: { type: "Box", fields: [["words", words(20, 0)], ["name", "a \"b\""]] },
  counts: { type: "std::map<std::string, int>", entries: [["the", 1234567], ["cat", 2]] },
  numbers: { type: "std::vector<double>", items: [0.1, -2.5] },
  nothing: { type: "int*", to: null },
  large: tensor([100, 64], [64, 1], { storage: 2, storage_bytes: 25600, indices: [[0, 99], [0, 63]], data: [1, 2, 3, 4], stats: { min: -4.5, max: 4, mean: 0.5, std: 1 } }),
};

let url;
function page(options = {}) {
  if (url === undefined) {
    const folder = temporaryFolder("copying");
    const trace = `{"format":"lectern-trace/1",
"lecture":"copying","profile":{"name":"cpu","threads":1,"compiler":"c","libraries":{}},
"records":[
{"source":0,"path":"copying.cpp","language":"cpp","lines":["int main() {","  f();","}"]},
{"function":0,"name":"main","source":0,"span":[1,1,3,2]},
{"site":0,"function":0,"span":[2,3,2,7]},
{"stack":0,"function":0},
{"at":0,"in":0,"enter":1,"vars":${JSON.stringify(first)}},
{"end":"return","steps":1}
]}
`;
    writeFileSync(join(folder, "copying.json"), trace);
    const { status, stderr } = spawnSync(process.env.LECTERN_BIN, ["render", join(folder, "copying.json"), "-o", join(folder, "site")], { encoding: "utf8" });
    assert.equal(status, 0, stderr);
    url = pathToFileURL(join(folder, "site/copying/index.html")).href;
  }
  return openPage(url, { hash: "#step=1", ...options });
}

const variable = (opened, name) => opened.locator("#vars .var", { has: opened.locator(".b", { hasText: new RegExp(`^${name}$`) }) });

async function copied(opened, name, language) {
  const menu = variable(opened, name).locator(".copy");
  await menu.locator("summary").focus();
  await opened.keyboard.press("Enter");
  await menu.getByRole("button", { name: language }).focus();
  await opened.keyboard.press("Enter");
  await opened.waitForFunction((text) => document.querySelector("#message").textContent.includes(text), `Copied ${name} as ${language}`);
  return opened.evaluate(() => window.copied);
}

const refuseCopies = (made) => made.addInitScript(() => Object.defineProperty(navigator, "clipboard", { value: { writeText: () => Promise.reject(new Error("Write permission denied.")) } }));
const noteCopied = (made) => made.addInitScript(() => Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => void (window.copied = text) } }));

test("a value is copied as NumPy, C++ and JSON, by keyboard", async () => {
  const opened = await page({ prepare: noteCopied });
  const expected = {
    x: [
      "np.array([1.0, -7.5, 3.0, 4.123456, 5.0, np.nan], dtype=np.float32).reshape(2, 3)",
      "tensor({1.0, -7.5, 3.0, 4.123456, 5.0, NAN}, {.dtype = float32}).view({2, 3})",
      '{"dtype": "float32", "shape": [2, 3], "data": [1.0, -7.5, 3.0, 4.123456, 5.0, "NaN"]}',
    ],
    column: ["np.array([-7.5, 5.0], dtype=np.float32)", "tensor({-7.5, 5.0}, {.dtype = float32})", '{"dtype": "float32", "shape": [2], "data": [-7.5, 5.0]}'],
    counts: ['{"the": 1234567, "cat": 2}', '{{"the", 1234567}, {"cat", 2}}', '{"the": 1234567, "cat": 2}'],
    numbers: ["np.array([0.1, -2.5])", "{0.1, -2.5}", "[0.1, -2.5]"],
    nothing: ["None", "nullptr", "null"],
  };
  for (const [name, texts] of Object.entries(expected)) {
    for (const [i, language] of ["NumPy", "C++", "JSON"].entries()) {
      const text = await copied(opened, name, language);
      const plain = (code) => code.replace(/(?<=\d)\.0(?!\d)/g, "");
      assert.equal(plain(text), plain(texts[i]), `${name} as ${language}`);
    }
  }
  const box = JSON.parse(await copied(opened, "box", "JSON"));
  assert.deepEqual(box, { words: first.box.fields[0][1].items.map((item) => ({ n: item.fields[0][1] })), name: 'a "b"' });
  assert.match(await copied(opened, "large", "NumPy"), /^# Only the 4 elements shown of float32 \[100, 64\]: min .*\nnp\.array\(\[1.*, 4.*\], dtype=np\.float32\)$/);
  assert.equal(await opened.evaluate(() => document.activeElement.closest(".copy") !== null), true, "the focus stays");
  await variable(opened, "x").locator(".copy summary").click();
  await opened.keyboard.press("Escape");
  assert.equal(await opened.locator(".copy[open]").count(), 0);
  assert.deepEqual(opened.complaints, []);
  await opened.context().close();
});

test("every block has a button that copies it, reached by keyboard and announced", async () => {
  const opened = await openMedia({ prepare: noteCopied });
  await opened.waitForSelector(".block-tool.copies", { state: "attached" });
  const expected = [
    ["the code", "int x = 1;\n"],
    ["the formula, as LaTeX", "\\frac{a}{b}"],
    ["the table", "x\tat $x$\n1\ta b\n2\t$c$"],
    ["the value, as JSON", "[1, 2, 3]"],
    ["this code", "  int x = 1;\n  x += 2;\n"],
  ];
  for (const [name, text] of expected) {
    const button = opened.getByRole("button", { name: `Copy ${name}` }).first();
    await button.focus();
    assert.equal(await button.evaluate((each) => getComputedStyle(each).opacity), "1", name);
    await opened.keyboard.press("Enter");
    await opened.waitForFunction((words) => document.querySelector("#live").textContent === words, `Copied ${name}.`);
    assert.equal(await opened.evaluate(() => window.copied), text, name);
  }
  const code = opened.getByRole("button", { name: "Copy the code" }).first();
  await opened.evaluate(() => (document.querySelector(".slot pre > code").textContent = "no_end();"));
  await code.press("Enter");
  await opened.waitForFunction(() => window.copied === "no_end();\n");
  await opened.evaluate(() => (navigator.clipboard.writeText = () => Promise.reject(new Error("no"))));
  await code.press("Enter");
  await opened.waitForFunction(() => document.querySelector("#message p").textContent === "The code could not be copied: no.");
  await opened.evaluate(() => (navigator.clipboard.writeText = async (text) => void (window.copied = text)));
  const printed = opened.locator(".system .block-tool");
  await printed.focus();
  await opened.keyboard.press("Enter");
  await opened.waitForFunction(() => window.copied === "printed\n");
  assert.deepEqual(await opened.evaluate(() => window.shifts), [], "nothing moves when they come");
  await opened.context().close();
});

test("a selection is copied with the source of its formulas", async () => {
  const opened = await openMedia();
  const text = await opened.evaluate(() => {
    const paragraph = [...document.querySelectorAll(".slot p")].find((each) => each.textContent.startsWith("Inline"));
    getSelection().selectAllChildren(paragraph);
    const event = new ClipboardEvent("copy", { bubbles: true, cancelable: true, clipboardData: new DataTransfer() });
    document.dispatchEvent(event);
    return event.clipboardData.getData("text/plain");
  });
  assert.equal(text, "Inline $a^2$ here.");
  await opened.context().close();
});

test("the link to a step is copied", async () => {
  const opened = await openMedia({ prepare: noteCopied });
  await goTo(opened, 3);
  await press(opened, "y");
  await opened.waitForFunction(() => document.querySelector("#message").textContent.includes("Copied the link to step 4."));
  assert.match(await opened.evaluate(() => window.copied), /^file:.*index\.html#step=.+@4$/);
  await opened.getByRole("button", { name: "Copy the link to this step" }).click();
  await opened.context().close();
});

test("what cannot be copied is told in one sentence, until the next key", async () => {
  const opened = await page({ prepare: refuseCopies });
  await opened.keyboard.press("y");
  await opened.waitForFunction(() => document.querySelector("#message p").textContent !== "");
  assert.equal(await opened.locator("#message p").textContent(), "The link could not be copied: Write permission denied.");
  await press(opened, "e");
  assert.equal(await opened.locator("#message").isVisible(), false);
  await press(opened, "v");
  assert.match(await opened.locator("#message p").textContent(), /put away: E brings it back/);
  await press(opened, "e");
  assert.equal(await opened.locator("#message").isVisible(), false);
  await opened.context().close();
});
