// check_lecture.mjs LECTERN PLAIN TRACED BUILT ACCEPTED FOLDER WORK
// One lecture: the program prints the same plain and instrumented, the run that made its page ended well, another one with as
// many threads records the same to the byte but for times, the speed of memory and what is declared volatile, and the accepted
// trace agrees within tolerance. So it does with other numbers of threads: processors/ runs those. Of a lecture of several
// processes, all that holds for each rank.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

const [lectern, plain, traced, built, accepted, folder, work] = process.argv.slice(2);
mkdirSync(work, { recursive: true });

// Threads that wait sleep: beside other tests, spinning ones take the processor from those that they wait for.
const options = (threads, variables = {}) => ({ cwd: folder, env: { ...process.env, OMP_NUM_THREADS: String(threads), OMP_WAIT_POLICY: 'passive', ...variables } });
const run = (program, args, threads = 2) => execFileSync(program, args, { ...options(threads), encoding: 'utf8', maxBuffer: 1 << 28 });

/** What one of `size` processes prints; where there are several, they are told of each other as by torchrun. */
function printedBy(program, rank, size, meeting) {
  const variables = size === 1 ? {} : { RANK: rank, WORLD_SIZE: size, LECTERN_RENDEZVOUS: meeting };
  const child = spawn(program, { ...options(2, variables), stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part) => (text += part));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status) => (status === 0 ? resolve(text) : reject(new Error(`${program}, rank ${rank}: exit status ${status}`))));
  });
}

async function printedByAll(program, size) {
  const meeting = mkdtempSync(join(tmpdir(), 'lecture-'));
  try {
    return await Promise.all(Array.from({ length: size }, (_, rank) => printedBy(program, rank, size, join(meeting, 'ranks'))));
  } finally {
    rmSync(meeting, { recursive: true });
  }
}

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
const measured = /\d ?(ns|µs|ms|s|seconds|minutes?)\b/;
const unnamed = '(a function of this lecture)';
const same = (expected, actual) =>
  expected === actual || expected === unnamed || actual?.endsWith(` = ${expected}`) ||
  (measured.test(expected) && expected.replace(/[\d.,]+/g, '#') === actual?.replace(/[\d.,]+/g, '#'));

function checkPrinted(plainText, tracedText) {
  const expected = plainText.split('\n'), printed = tracedText.split('\n');
  const wrong = expected.findIndex((line, number) => !same(line, printed[number]));
  assert.equal(wrong, -1, `the instrumented program prints\n  ${printed[wrong]}\ninstead of\n  ${expected[wrong]}`);
  assert.equal(printed.length, expected.length);
}

function checkEnd(trace) {
  const end = trace.records.at(-1);
  assert.equal(end.end, 'return');
  assert.equal(end.status ?? 0, 0);
  const claims = trace.records.flatMap((step) => step.claims ?? []);
  assert.ok(claims.length > 0, 'the lecture claims nothing');
  assert.ok(claims.every((claim) => claim.ok));
  assert.ok(!JSON.stringify(trace).includes(folder), 'the trace holds an absolute path');
}

const read = (file) => JSON.parse(readFileSync(file, 'utf8'));
const ofRank = (file, rank) => (rank === 0 ? file : file.replace(/\.json$/, `.rank${rank}.json`));
const { name: profile, threads, world_size: size = 1 } = read(built).profile;
const ranks = Array.from({ length: size }, (_, rank) => rank);

const expected = await printedByAll(plain, size), printed = await printedByAll(traced, size);
for (const rank of ranks) checkPrinted(expected[rank], printed[rank]);

const again = join(work, 'again.json');
run(lectern, ['run', traced, '-o', again, '--name', basename(accepted, '.json'), '--profile', profile, '--quiet'], threads);
const text = (trace) => JSON.stringify(stable(trace));
for (const rank of ranks) {
  const first = read(ofRank(built, rank));
  checkEnd(first);
  assert.equal(text(read(ofRank(again, rank))), text(first), `a second run with as many threads records something else on rank ${rank}`);
}
assert.ok(!existsSync(ofRank(again, size)), 'there is a rank too many');
try {
  run(lectern, ['diff', accepted, built]);
} catch (error) {
  assert.fail(`it does something else than the accepted trace; \`./lectern accept\` takes the new one:\n${error.stdout}`);
}
