// Reads an exported trace as edtrace's viewer does: which fields it takes, what it calls on them, what React accepts as
// something to show. Fails where the viewer would.
//
//   node edtrace_viewer_check.mjs 2025|later TRACE.json TEXT…
//
// Each TEXT must be among what the viewer shows.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';

const [generation, file, ...expected] = process.argv.slice(2);
assert.ok(['2025', 'later'].includes(generation), 'which generation: 2025 or later');
const later = generation === 'later';
const trace = JSON.parse(readFileSync(file, 'utf8'));
const shown = [];

// What React takes as a child.
function child(value) {
  if (value === null || value === undefined || typeof value === 'boolean') return '';
  assert.notEqual(typeof value, 'object', `an object is no child: ${JSON.stringify(value)}`);
  return String(value);
}

function number(value) {
  if (typeof value === 'string') return value;
  if (Math.abs(value) > 1e12) return value.toExponential(3);
  return Number.isInteger(value * 1000) ? value.toString() : value.toFixed(4);
}

function tensor(shape, contents) {
  assert.ok(Array.isArray(shape) && shape.every(Number.isInteger), 'a shape is a list of sizes');
  if (shape.length === 0) return number(contents);
  if (shape.length === 1) return contents.map(number).join(' ');
  if (shape.length === 2) return contents.map((row) => row.map(number).join(' ')).join(' / ');
  if (shape.length > 3) return JSON.stringify(contents);
  return contents.map((slice) => {
    assert.equal(typeof slice[0].length, 'number');
    return slice.map((row) => row.map(number).join(' ')).join(' / ');
  }).join(' // ');
}

function typedValue(value) {
  assert.equal(typeof value.type, 'string', `a value without its type: ${JSON.stringify(value)}`);
  if (value.type === 'NoneType') return 'None';
  if (value.type === 'bool') return child('' + value.contents);
  if (value.type === 'int' || value.type === 'float') return child(number(value.contents));
  if (value.type === 'torch.Tensor' || value.type === 'numpy.ndarray') return tensor(value.shape, value.contents);
  if (value.type.startsWith('sympy.core.')) return child(value.contents);
  if (Array.isArray(value.contents)) return `[${value.contents.map(typedValue).join(', ')}]`;
  if (typeof value.contents === 'object') {
    const pairs = Object.entries(value.contents).map(([name, item]) => `${name}: ${typedValue(item)}`);
    return `{${pairs.join(', ')}}`;
  }
  const text = JSON.stringify(value.contents, null, 2);
  assert.equal(typeof text, 'string', 'a value without contents');
  return text;
}

// Types would show as part of the value in 2025.
function bareValue(value) {
  const typed = value !== null && typeof value === 'object' && 'type' in value && 'contents' in value;
  assert.ok(!typed, `a value with its type: ${JSON.stringify(value)}`);
  return typeof value === 'number' ? value.toString() : JSON.stringify(value, null, 2);
}

const last = (list) => list[list.length - 1];
const sameFunction = (a, b) => a.length === b.length && a.slice(0, -1).every(
  (frame, i) => frame.path === b[i].path && frame.line_number === b[i].line_number);

function environment(at) {
  const {stack} = trace.steps[at];
  const environments = [];
  for (let i = at; i >= 0; --i) {
    const step = trace.steps[i];
    if (sameFunction(step.stack, stack)) environments.unshift(step.env);
    else if (step.stack.length < stack.length) break;
  }
  const merged = Object.assign({}, ...environments);
  return Object.entries(merged)
    .filter(([, value]) => !later || value !== null)
    .map(([name, value]) => `${name} = ${later ? typedValue(value) : bareValue(value)}`);
}

function link(reference) {
  const {title, authors, url, date, organization, description, notes} = reference;
  let label = title || url;
  if (authors) {
    const year = date && date.split('-')[0];
    label = `[${last(authors[0].split(' '))}${authors.length > 1 ? '+' : ''} ${year}]`;
  }
  if (!title) return child(label);
  const panel = [title, authors && authors.join(', '), organization, date && date.split('T')[0], description,
    notes && notes.split(/\n/).join(' ')];
  return `${child(label)} <${url}> ${panel.map(child).join(' | ')}`;
}

function rendering(item) {
  assert.equal(typeof item.type, 'string');
  assert.ok(item.style === null || typeof item.style === 'object', 'a style is an object');
  if (item.type === 'markdown') return item.data.toString();
  if (item.type === 'image') {
    assert.equal(typeof item.data, 'string');
    return `image ${item.data}`;
  }
  if (item.type === 'link') {
    if (item.internal_link) {
      const {path, line_number} = item.internal_link;
      assert.ok(Number.isInteger(line_number) && path in trace.files, 'a link to code that is not there');
      return `${child(item.data)} -> ${path}:${line_number}`;
    }
    assert.ok(item.external_link, 'a link to nowhere');
    return link(item.external_link);
  }
  if (item.type === 'plot' && later) {
    assert.equal(typeof item.data, 'object');
    return `plot ${JSON.stringify(item.data)}`;
  }
  return child(item.data);
}

assert.ok(trace.steps.length > 0);
for (const contents of Object.values(trace.files)) assert.equal(typeof contents, 'string');
const byLine = new Map();
trace.steps.forEach((step, at) => {
  const frame = last(step.stack);
  const lines = trace.files[frame.path].split('\n');
  assert.equal(typeof lines[frame.line_number - 1], 'string', `step ${at} is at a line that is not there`);
  for (const {path, line_number, function_name, code} of step.stack) {
    assert.equal(typeof path, 'string');
    assert.ok(Number.isInteger(line_number) && line_number >= 1);
    assert.equal(typeof function_name, 'string');
    assert.ok(code === null || code.match !== undefined);
  }
  assert.ok(Array.isArray(step.renderings));
  byLine.set(`${frame.path}:${frame.line_number}`, step.renderings.map(rendering));
  shown.push(...environment(at));
});
for (const [path, contents] of Object.entries(trace.files)) {
  const hidden = later ? trace.hidden_line_numbers[path] : undefined;
  assert.ok(!hidden || hidden.every(Number.isInteger));
  contents.split('\n').forEach((line, i) => {
    if (hidden && hidden.includes(i + 1)) return;
    const renderings = byLine.get(`${path}:${i + 1}`) ?? [];
    shown.push(...(renderings.length > 0 ? renderings : [`${i + 1}: ${line}`]));
  });
}

for (const text of expected) {
  const negated = text.startsWith('!');
  const found = shown.some((part) => part.includes(negated ? text.slice(1) : text));
  assert.equal(found, !negated, `${negated ? 'shown though it should not be' : 'not shown'}: ${text}`);
}
console.log(`${trace.steps.length} steps, ${shown.length} texts shown`);
