// What `lectern diff --format json` writes, against its schema.
// Usage: node report_schema_test.mjs LECTERN SCHEMA NODE_MODULES TRACE WORK
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const [lectern, schema, modules, traceFile, work] = process.argv.slice(2);
const require = createRequire(path.join(path.resolve(modules), "index.js"));
const Ajv = require("ajv/dist/2020").default;
const validate = new Ajv({ strict: true, strictTypes: false, strictRequired: false }).compile(
  JSON.parse(readFileSync(schema, "utf8")),
);

function report(before, now) {
  const { status, stdout, stderr } = spawnSync(lectern, ["diff", before, now, "--format", "json"], { encoding: "utf8" });
  assert.equal(stderr, "");
  const document = JSON.parse(stdout);
  assert.ok(validate(document), JSON.stringify(validate.errors));
  assert.equal(status, { same: 0, differs: 1, failed: 2 }[document.verdict]);
  return document;
}

assert.equal(report(traceFile, traceFile).verdict, "same");

/** The trace with every number, text and statement of one kind changed. */
mkdirSync(work, { recursive: true });
const changed = JSON.parse(readFileSync(traceFile, "utf8"));
const number = (value) => (typeof value === "number" ? value + 1 : Array.isArray(value) ? value.map(number) : value);
for (const step of changed.records.filter((record) => "at" in record)) {
  for (const value of Object.values(step.vars ?? {})) {
    for (const field of ["value", "items", "data"]) if (field in value) value[field] = number(value[field]);
  }
  for (const rendering of step.show ?? []) if ("markdown" in rendering) rendering.markdown += " more";
}
changed.records.splice(changed.records.findLastIndex((record) => "at" in record && !record.after && !record.enter), 1);
const file = path.join(work, "changed.json");
writeFileSync(file, JSON.stringify(changed));
const document = report(traceFile, file);
const kinds = new Set(document.lectures[0].items.map(({ kind }) => kind));
for (const kind of ["value", "rendering", "control flow"]) assert.ok(kinds.has(kind), `${kind} is not among ${[...kinds]}`);
assert.ok(document.lectures[0].items.some(({ tensor }) => tensor), "no tensor differs");
console.log(`${document.lectures[0].items.length} items: as they should be`);
