// check_lecture.mjs LECTERN PLAIN TRACED BUILT ACCEPTED FOLDER WORK
// One lecture: the program prints the same plain and instrumented, the run that made its page ended well, another one with as
// many threads records the same to the byte but for times, the speed of memory and what is declared volatile, and the accepted
// trace agrees within tolerance. So it does with other numbers of threads: processors/ runs those.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const [lectern, plain, traced, built, accepted, folder, work] = process.argv.slice(2);
mkdirSync(work, { recursive: true });

// Threads that wait sleep: beside other tests, spinning ones take the processor from those that they wait for.
const run = (program, args = [], threads = 2) => execFileSync(program, args, { cwd: folder, encoding: 'utf8',
  maxBuffer: 1 << 28, env: { ...process.env, OMP_NUM_THREADS: String(threads), OMP_WAIT_POLICY: 'passive' } });

/** What must not differ between two runs. */
function stable(trace) {
  delete trace.profile.ceilings;
  const sites = trace.records.filter((record) => 'site' in record && 'span' in record);
  for (const step of trace.records.filter((record) => 'at' in record)) {
    delete step.ns;
    delete step.memory;  // loaders prepare batches meanwhile
    const names = sites[step.at].volatile ?? [];
    if (names.includes('*')) for (const field of ['show', 'vars', 'out', 'err', 'claims']) delete step[field];
    for (const name of names) if (step.vars) delete step.vars[name];
  }
  return trace;
}

// What may differ in print: measured times, and the names of a linked function and of a shown value, which only the
// instrumented program knows.
const measured = /\d ?(ns|µs|ms|s|seconds|minutes)\b/;
const unnamed = '(a function of this lecture)';
const same = (expected, actual) =>
  expected === actual || expected === unnamed || actual?.endsWith(` = ${expected}`) ||
  (measured.test(expected) && expected.replace(/[\d.,]+/g, '#') === actual?.replace(/[\d.,]+/g, '#'));

const expected = run(plain).split('\n');
const printed = run(traced).split('\n');
const wrong = expected.findIndex((line, number) => !same(line, printed[number]));
assert.equal(wrong, -1, `the instrumented program prints\n  ${printed[wrong]}\ninstead of\n  ${expected[wrong]}`);
assert.equal(printed.length, expected.length);

const first = JSON.parse(readFileSync(built, 'utf8'));
const { threads } = first.profile;
const end = first.records.at(-1);
assert.equal(end.end, 'return');
assert.equal(end.status ?? 0, 0);
const claims = first.records.flatMap((step) => step.claims ?? []);
assert.ok(claims.length > 0, 'the lecture claims nothing');
assert.ok(claims.every((claim) => claim.ok));
assert.ok(!JSON.stringify(first).includes(folder), 'the trace holds an absolute path');

const again = join(work, 'again.json');
run(lectern, ['run', traced, '-o', again, '--name', basename(accepted, '.json'), '--profile', first.profile.name, '--quiet'], threads);
const text = (trace) => JSON.stringify(stable(trace));
assert.equal(text(JSON.parse(readFileSync(again, 'utf8'))), text(first), 'a second run with as many threads records something else');
try {
  run(lectern, ['diff', accepted, built]);
} catch (error) {
  assert.fail(`it does something else than the accepted trace; \`./lectern accept\` takes the new one:\n${error.stdout}`);
}
