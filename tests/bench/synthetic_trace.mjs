// A trace of any number of steps, for measuring a page without waiting for a lecture of that length: a main function whose
// parts show prose and are loops of statements that inspect a value; or a function that calls itself at every step.

import { createWriteStream } from "node:fs";
import { once } from "node:events";

const parts = 40;
const statements = 12;
const side = 8;

/** Pseudo-random, the same in every run: floats as a program prints them. */
function numbers(seed) {
  let state = seed * 2654435761 + 1;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.fround((state / 2 ** 32) * 4 - 2);
  };
}

const values = {
  numbers: (step) => ({ type: "double", value: step / 4 }),
  tensors: (step) => {
    const next = numbers(step);
    const data = Array.from({ length: side * side }, () => Number(next().toPrecision(3)));
    return { type: "lectern::Tensor", dtype: "float32", shape: [side, side], strides: [side, 1], device: "cpu", storage: 1, storage_bytes: 4 * side * side, data };
  },
};

function* looping(count, valueOf) {
  const lines = ["int main() {"];
  const sites = [];
  for (let part = 0; part < parts; ++part) {
    lines.push(`  text("## Part ${part}");`);
    sites.push({ kind: "hook", span: [lines.length, 3, lines.length, lines.at(-1).length + 1] });
    for (let i = 0; i < statements; ++i) {
      lines.push(`  auto x${i} = step(${i});  // @inspect x${i}`);
      sites.push({ span: [lines.length, 3, lines.length, 22] });
    }
  }
  lines.push("}");
  yield { source: 0, path: "synthetic.cpp", language: "cpp", lines };
  yield { function: 0, name: "main", source: 0, span: [1, 1, lines.length, 2] };
  for (const [site, { kind, span }] of sites.entries()) yield { site, function: 0, span, ...(kind ? { kind } : {}) };
  yield { stack: 0, function: 0 };
  const passes = Math.ceil(count / parts / (statements + 1)); // of each part, before the next begins
  for (let step = 0; step < count; ++step) {
    const part = Math.floor(step / (statements + 1) / passes) % parts;
    const at = step % (statements + 1);
    const record = { at: part * (statements + 1) + at, in: 0, ...(step === 0 ? { enter: 1 } : {}) };
    if (at === 0) record.show = [{ kind: "text", markdown: `## Part ${part}\n\nWhat this part is about, in a line of *prose*.` }];
    else record.vars = { [`x${at - 1}`]: valueOf(step) };
    yield record;
  }
}

function* recursive(count) {
  yield { source: 0, path: "synthetic.cpp", language: "cpp", lines: ["int f(int n) {", "  return f(n + 1);", "}"] };
  yield { function: 0, name: "f", source: 0, span: [1, 1, 3, 2] };
  yield { site: 0, function: 0, span: [2, 3, 2, 19], kind: "return" };
  for (let stack = 0; stack < count; ++stack) {
    yield { stack, function: 0, ...(stack === 0 ? {} : { parent: stack - 1, call: 0 }) };
    yield { at: 0, in: stack, enter: 1 };
  }
}

/** Writes the trace of a lecture `synthetic`; `kind`: "numbers" or "tensors", one inspected by each step, or "calls". */
export async function writeSyntheticTrace(file, count, kind) {
  const out = createWriteStream(file);
  out.write('{"format":"lectern-trace/1","lecture":"synthetic","profile":{"name":"cpu"},"records":[\n');
  for (const record of kind === "calls" ? recursive(count) : looping(count, values[kind])) {
    if (!out.write(`${JSON.stringify(record)},\n`)) await once(out, "drain");
  }
  out.end(`${JSON.stringify({ end: "return", status: 0, steps: count })}\n]}\n`);
  await once(out, "finish");
}
