// lecture_02_values.mjs LECTERN TRACED FOLDER WORK
// Lecture 2 shows the values that the lecture shows which it follows (lecture_02_values.json), in each function in that
// order; and what it draws after manual_seed(0), and computes from that, is what PyTorch gives (lecture_02_torch.json,
// which lecture_02_torch.py prints): the draws to the bit, the rest to 1e-6.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [lectern, traced, folder, work] = process.argv.slice(2);
const expected = (name) => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'));
mkdirSync(work, { recursive: true });
const file = join(work, 'values.json');
execFileSync(lectern, ['run', traced, '-o', file, '--name', 'lecture', '--quiet'], { cwd: folder, stdio: 'inherit' });
const { records } = JSON.parse(readFileSync(file, 'utf8'));

const functions = records.filter((record) => 'function' in record && 'span' in record && !('site' in record));
const sites = records.filter((record) => 'site' in record && 'span' in record);
/** All that was inspected in a function: [expression, value]. */
const inspected = (name) => records
  .filter((step) => 'at' in step && functions[sites[step.at].function].name === name)
  .flatMap((step) => Object.entries(step.vars ?? {}));

const float = (number) => Math.fround(number);
const numbers = (tensor) => tensor.data.map(float);
function agrees(actual, { value, shape, data }) {
  if (data) {
    return JSON.stringify(actual.shape) === JSON.stringify(shape) &&
      numbers(actual).every((number, i) => number === float(data[i]));
  }
  if (typeof value === 'string') return actual.text === value;
  return Math.abs(actual.value - value) <= 1e-12 * Math.abs(value);
}

const values = expected('lecture_02_values.json');
for (const name of new Set(values.map((value) => value.function))) {
  const shown = inspected(name);
  for (const wanted of values.filter((value) => value.function === name)) {
    const at = shown.findIndex(([expression, value]) => expression === wanted.variable && agrees(value, wanted));
    assert.notEqual(at, -1, `${name} does not show, at its place, ${JSON.stringify(wanted)}`);
    shown.splice(0, at + 1);
  }
}

const torch = expected('lecture_02_torch.json');
const all = (name, expression) => inspected(name).filter(([text]) => text === expression).map(([, value]) => value);
const only = (name, expression) => {
  const found = all(name, expression);
  assert.equal(found.length, 1);
  return found[0];
};
const state = (dict) => Object.fromEntries(dict.entries.map(([name, tensor]) => [name, numbers(tensor)]));
const rounded = (dict) => Object.fromEntries(Object.entries(dict).map(([name, list]) => [name, list.map(float)]));
function near(actual, wanted, what) {
  assert.equal(actual.length, wanted.length, what);
  actual.forEach((number, i) =>
    assert.ok(Math.abs(number - wanted[i]) <= 1e-6 * Math.max(1, Math.abs(wanted[i])), `${what}: ${number}, ${wanted[i]}`));
}

assert.deepEqual(only('draw_batch', 'start_indices').data, torch.start_indices);
const [before, after] = all('optimizer_step', 'state');
assert.deepEqual(state(before), rounded(torch.before));
assert.deepEqual(numbers(only('optimizer_step', 'x')), torch.x.map(float));
near(numbers(only('optimizer_step', 'pred_y')), torch.pred_y, 'pred_y');
near(numbers(only('optimizer_step', 'loss')), [torch.loss], 'loss');
const stepped = state(after);
assert.deepEqual(Object.keys(stepped), Object.keys(torch.after));
for (const [name, list] of Object.entries(torch.after)) near(stepped[name], list, name);

const [, optimizer] = all('optimizer_step', 'optimizer');
assert.equal(optimizer.type, 'AdaGrad');
const fields = Object.fromEntries(optimizer.fields);
assert.deepEqual(fields.state.entries.map(([parameter]) => String(parameter)), Object.keys(torch.g2));
for (const [parameter, { fields: [[name, tensor]] }] of fields.state.entries) {
  assert.equal(name, 'g2');
  near(numbers(tensor), torch.g2[parameter], `g2 of ${parameter}`);
}
