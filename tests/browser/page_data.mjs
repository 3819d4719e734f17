// What steps.js beside a page says (site_templates/src/data.ts), worked out the slow and obvious way: columns as lists, and as
// objects by step what only some steps have.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Base 64 VLQ of differences. */
export function numbersOf(column) {
  const numbers = [];
  let bits = [];
  for (const letter of column) {
    const digit = digits.indexOf(letter);
    bits.push(digit % 32);
    if (digit >= 32) continue;
    const quantity = bits.reduceRight((sum, part) => sum * 32 + part, 0);
    bits = [];
    numbers.push((numbers.at(-1) ?? 0) + (quantity % 2 === 0 ? quantity / 2 : -(quantity - 1) / 2));
  }
  return numbers;
}

const argumentOf = (file) => {
  const text = readFileSync(file, "utf8");
  return JSON.parse(text.slice(text.indexOf("(") + 1, text.lastIndexOf(")")));
};

/** The data of the page in a folder, with all fragments; undefined: it has none. */
export function pageData(folder) {
  if (!existsSync(join(folder, "steps.js"))) return undefined;
  const page = argumentOf(join(folder, "steps.js"));
  const bindings = ({ steps, names, values }) => {
    const table = {};
    const [name, value] = [numbersOf(names), numbersOf(values)];
    numbersOf(steps).forEach((step, i) => (table[step] ??= []).push([page.names[name[i]], value[i]]));
    return table;
  };
  const byStep = ({ steps, numbers }) => {
    const all = numbersOf(numbers);
    return Object.fromEntries(numbersOf(steps).map((step, i) => [step, all[i]]));
  };
  const { parents, calls, functions, names } = page.stacks;
  const [call, fn] = [numbersOf(calls), numbersOf(functions)];
  const { type, text, html, types, texts } = page.values;
  const [textNumber, fragment, lines] = [numbersOf(text), numbersOf(html), texts.split("\n")];
  const cleared = Object.entries(bindings(page.clear)).map(([step, entries]) => [step, entries.map(([name]) => name)]);
  return {
    ...page,
    at: numbersOf(page.at),
    in: numbersOf(page.in),
    after: numbersOf(page.after),
    stacks: numbersOf(parents).map((parent, i) => [parent, call[i], fn[i], ...(names[i] === undefined ? [] : [names[i]])]),
    vars: bindings(page.vars),
    args: bindings(page.args),
    left: bindings(page.left),
    clear: Object.fromEntries(cleared),
    show: byStep(page.show),
    claims: byStep(page.claims),
    out: byStep(page.out),
    values: numbersOf(type).map((number, i) => [types[number], lines[textNumber[i]], fragment[i]]),
    html: [...page.html, ...page.files.flatMap(([, name]) => argumentOf(join(folder, "fragments", name)).html)],
  };
}
