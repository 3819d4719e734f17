// Values as the page shows them, in the panel and on the chips beside the code.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { openPage, press, temporaryFolder } from "./support.mjs";

// As text: JavaScript's numbers would be rounded before the program reads them.
const values = {
  smallest: ['{"type":"long","value":-9223372036854775808}', "\u22129,223,372,036,854,775,808"],
  largest: ['{"type":"unsigned long","value":18446744073709551615}', "18,446,744,073,709,551,615"],
  huge: ['{"type":"__int128","text":"170141183460469231731687303715884105727"}', "170141183460469231731687303715884105727"],
  exact: ['{"type":"double","value":123456.789}', "123456.789"],
  sum: ['{"type":"double","value":0.30000000000000004}', "0.30000000000000004"],
  list: ['{"type":"std::vector<double>","items":[0.1,0.30000000000000004]}', "[0.1, 0.30000000000000004]"],
  newline: ['{"type":"char","value":"\\n"}', "'\\n'"],
  none: ['{"type":"int*","to":null}', "nullptr"],
  pointer: ['{"type":"int*","to":42}', "\u2192 42"],
  variant: ['{"type":"std::variant<int, std::string>","to":{"type":"std::string","value":"abc"}}', 'string "abc"'],
  error: ['{"type":"error","error":"index 5 out of bounds, size 3"}', "index 5 out of bounds, size 3"],
};

/** A page with a step for each of these texts, which are the variables that it has then. */
function render(...steps) {
  const folder = temporaryFolder("values");
  const trace = `{"format":"lectern-trace/1",
"lecture":"values","profile":{"name":"cpu","threads":1,"compiler":"c","libraries":{}},
"records":[
{"source":0,"path":"values.cpp","language":"cpp","lines":["int main() {","  f();","}"]},
{"function":0,"name":"main","source":0,"span":[1,1,3,2]},
{"site":0,"function":0,"span":[2,3,2,7]},
{"stack":0,"function":0},
${steps.map((vars, at) => `{"at":0,"in":0${at === 0 ? ',"enter":1' : ""},"vars":{${vars}}},`).join("\n")}
{"end":"return","steps":${steps.length}}
]}
`;
  writeFileSync(join(folder, "values.json"), trace);
  const { status, stderr } = spawnSync(process.env.LECTERN_BIN, ["render", join(folder, "values.json"), "-o", join(folder, "site")], { encoding: "utf8" });
  assert.equal(status, 0, stderr);
  return pathToFileURL(join(folder, "site/values/index.html")).href;
}

test("values are shown in full, in the panel and on chips, at any width and in both themes", async () => {
  const url = render(Object.entries(values).map(([name, [json]]) => `"${name}":${json}`).join(","));
  for (const width of [1280, 390]) {
    for (const theme of ["light", "dark"]) {
      const page = await openPage(url, { width, theme, hash: "#1" });
      const panel = await page.locator("#vars .var").evaluateAll((entries) =>
        Object.fromEntries(entries.map((entry) => [entry.querySelector(".b").textContent, entry.querySelector(".value").textContent])),
      );
      const chips = await page.locator(".chip").evaluateAll((all) =>
        Object.fromEntries(all.map((chip) => [chip.firstChild.textContent.trim(), chip.querySelector("i").textContent])),
      );
      for (const [name, [, text]] of Object.entries(values)) {
        assert.equal(panel[name], text, `${name} in the panel`);
        assert.equal(chips[name], text, `${name} on its chip`);
      }
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.equal(overflow, 0, "long values wrap");
      assert.deepEqual(page.complaints, []);
      await page.context().close();
    }
  }
});

test("a large part of a value opens on demand, stays open, and says while it is closed that something in it changed", async () => {
  const numbers = (last) => ({ type: "std::vector<int>", items: [...Array(20).keys(), last] });
  const box = (last) => ({ type: "Box", fields: [["one", { type: "Part", fields: [["numbers", numbers(0)]] }], ["two", { type: "Part", fields: [["numbers", numbers(last)]] }]] });
  const page = await openPage(render(...[1, 2, 3].map((last) => `"box":${JSON.stringify(box(last))}`)));
  const trees = () => page.locator("#vars details.tree").evaluateAll((all) => all.map(({ open, firstElementChild }) => `${firstElementChild.textContent} ${open ? "open" : "closed"}`));
  const [part, inner] = ["Part 1 field", "vector<int> 21 elements"];
  await press(page, "ArrowRight");
  assert.deepEqual(await trees(), [part, inner, part, inner].map((summary) => `${summary} closed`));
  const marks = () => page.locator("#vars details.tree > summary").evaluateAll((all) => all.map((summary) => getComputedStyle(summary, "::after").content !== "none"));
  assert.deepEqual(await marks(), [false, false, true, true]);
  await page.locator("#vars details.tree > summary").nth(2).focus();
  await page.keyboard.press("Enter");
  await page.locator("#vars details.tree > summary").nth(3).focus();
  await page.keyboard.press("Enter");
  assert.equal(await page.locator("#vars .differs").last().textContent(), "2");
  await page.locator("#lecture").focus();
  await press(page, "ArrowRight");
  assert.deepEqual(await trees(), [`${part} closed`, `${inner} closed`, `${part} open`, `${inner} open`]);
  assert.equal(await page.locator("#vars .differs").last().textContent(), "3");
});
