// calculators.mjs GRID MODULES TRACES
// Every calculator that a lecture shows gives the same natively and in WebAssembly: integers and texts exactly, other numbers
// within 4 units in the last place, over inputs that vary one by one, and together at random, good and bad; and it is small.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const [grid, modules, traces] = process.argv.slice(2);
const largest = 150 * 1024;  // gzip
const atRandom = 150;

function calculators() {
  const found = new Map();
  for (const file of readdirSync(traces).filter((name) => name.endsWith('.json'))) {
    for (const { show = [] } of JSON.parse(readFileSync(join(traces, file), 'utf8')).records) {
      for (const rendering of show) if (rendering.kind === 'calculator') found.set(rendering.function, rendering);
    }
  }
  return [...found.values()];
}

/** A stream of numbers in [0, 1), the same in every run. */
let state = 20261125;
const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
const pick = (list) => list[Math.floor(random() * list.length)];

/** What a field may hold; what is wrong comes last. */
function candidates(input) {
  if (input.hidden) return [input.value];
  if (input.kind === 'switch') return ['true', 'false'];
  if (input.kind === 'choice') return input.choices;
  const bad = ['', 'abc', '-1', '1e30', '1e999', '0', '1,5', '0.5', '1e'];
  if (input.kind === 'text') {
    return [input.value, '2', '3, 5', '1, 0', '4, 8, 2', '8, 1', '0, 1', ' 16, 2, 1', 'né 你好 👩‍👩‍👧\n"quoted" \\ back', 'a'.repeat(3000), ...bad];
  }
  const values = [input.value, '1', '2', '3', '64', '1,024', '12k', '7.5e3', '1.7T', '40%', '0.1', '1e-8', '70000', '-0.3'];
  if (input.max > input.min) {
    const spread = [0, 0.21, 0.5, 0.83, 1].map((share) => (input.logarithmic ? input.min * (input.max / input.min) ** share : input.min + (input.max - input.min) * share));
    values.push(...spread.map((value) => String(input.kind === 'integer' ? Math.round(value) : value)));
  }
  return [...values, ...bad];
}

function calls(calculator) {
  const { inputs, presets = [] } = calculator;
  const base = inputs.map((input) => input.value ?? '');
  const list = [base];
  for (const { values } of presets) list.push(inputs.map((input, index) => values[input.name] ?? base[index]));
  inputs.forEach((input, index) => candidates(input).forEach((value) => list.push(base.map((old, at) => (at === index ? value : old)))));
  const starts = [...list.slice(0, 1 + presets.length)];
  for (let i = 0; i < atRandom; ++i) list.push(pick(starts).map((old, index) => (random() < 0.6 ? old : pick(candidates(inputs[index])))));
  return list;
}

function native(name, list) {
  const escaped = (text) => text.replace(/[\\\t\n]/g, (c) => ({ '\\': '\\\\', '\t': '\\t', '\n': '\\n' })[c]);
  const input = list.map((inputs) => `${[name, ...inputs].map(escaped).join('\t')}\n`).join('');
  const lines = execFileSync(grid, { input, encoding: 'utf8', maxBuffer: 1 << 28 }).trimEnd().split('\n');
  assert.equal(lines.length, list.length, `${name} is registered once`);
  return lines.map((line) => JSON.parse(line));
}

/** As site_templates/src/calculator_module.ts calls it. */
function asOnPages(bytes, name, list) {
  const module = new WebAssembly.Module(bytes);
  const imports = {};
  for (const { module: from, name: each } of WebAssembly.Module.imports(module)) (imports[from] ??= {})[each] = () => assert.fail(`${each} is called`);
  const { exports } = new WebAssembly.Instance(module, imports);
  exports._initialize?.();
  return list.map((inputs) => {
    const texts = new TextEncoder().encode(inputs.map((input) => `${input}\0`).join(''));
    const at = exports.lectern_inputs(texts.length);
    new Uint8Array(exports.memory.buffer).set(texts, at);
    const begin = exports[name]();
    const memory = new Uint8Array(exports.memory.buffer);
    return JSON.parse(new TextDecoder().decode(memory.subarray(begin, memory.indexOf(0, begin))));
  });
}

const words = new BigInt64Array(1);
const doubles = new Float64Array(words.buffer);
const ordinal = (value) => {
  doubles[0] = value;
  return words[0] < 0n ? -(words[0] & 0x7FFFFFFFFFFFFFFFn) : words[0];
};

/** The largest difference of two numbers that was seen, in units in the last place. */
let furthest = 0;
function same(one, other, where) {
  if (typeof one === 'number' && typeof other === 'number') {
    const difference = Number(ordinal(one) - ordinal(other));
    furthest = Math.max(furthest, Math.abs(difference));
    const exact = Number.isInteger(one) && Number.isInteger(other) && Math.abs(one) < 2 ** 53;
    assert.ok(exact ? one === other : Math.abs(difference) <= 4, `${where}: ${one} natively, ${other} on a page`);
  } else if (one !== null && typeof one === 'object') {
    assert.deepEqual(Object.keys(one), Object.keys(other), where);
    for (const key of Object.keys(one)) same(one[key], other[key], `${where}.${key}`);
  } else {
    assert.equal(other, one, where);
  }
}

const all = calculators();
assert.ok(all.length >= 8, `the lectures show ${all.length} calculators`);
for (const calculator of all) {
  const { function: name, module } = calculator;
  const bytes = readFileSync(join(modules, module));
  const size = gzipSync(bytes).length;
  assert.ok(size <= largest, `${module} has ${size} bytes, compressed`);
  const list = calls(calculator);
  const before = native(name, list), now = asOnPages(bytes, name, list);
  list.forEach((inputs, index) => same(before[index], now[index], `${name}(${inputs.map((input) => JSON.stringify(input.slice(0, 40))).join(', ')})`));
  const refused = before.filter(({ problems }) => problems.length > 0);
  assert.ok(refused.length > 0, `${name} refuses nothing of ${list.length} calls`);
  assert.ok(refused.length < list.length);
  for (const { problems, quantities, drawings, cells } of refused) {
    assert.equal(quantities.length + drawings.length + cells.length, 0, `${name}: no result beside a problem`);
    for (const { input } of problems) assert.ok(calculator.inputs.some((each) => each.name === input), `${name} has no input ${input}`);
  }
  console.log(`${name}: ${list.length} calls, ${refused.length} refused; ${size} bytes compressed`);
}
console.log(`numbers differ by ${furthest} units in the last place at most`);
