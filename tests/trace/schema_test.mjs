// Validates traces against traces/lectern-trace-1.schema.json, and checks that the schema refuses damaged ones.
// Usage: node schema_test.mjs SCHEMA NODE_MODULES TRACE…
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const [schemaFile, modules, ...traceFiles] = process.argv.slice(2);
const require = createRequire(path.join(path.resolve(modules), "index.js"));
const Ajv = require("ajv/dist/2020").default;

const validate = new Ajv({ strict: true, strictTypes: false, strictRequired: false, allErrors: false }).compile(
  JSON.parse(readFileSync(schemaFile, "utf8")),
);

let failures = 0;
function fail(message) {
  failures += 1;
  console.error(message);
}

for (const file of traceFiles) {
  const trace = JSON.parse(readFileSync(file, "utf8"));
  if (!validate(trace)) fail(`${file}: ${JSON.stringify(validate.errors)}`);
}

const value = { type: "int", value: 5 };
const tensor = {
  type: "Tensor",
  dtype: "float32",
  shape: [2, 3],
  strides: [3, 1],
  device: "cpu",
  storage: 1,
  storage_bytes: 24,
  data: [1.5, 2, 3, { float: "nan" }, { float: "-inf" }, 1e-9],
};
const summary = { ...tensor, shape: [9, 3], indices: [[0, 8], [0, 1, 2]], stats: { min: 1, max: 2, mean: 1.5, nan: 1 } };
const trace = (...records) => ({ format: "lectern-trace/1", lecture: "x", records });
const refused = {
  "another version": { ...trace(), format: "lectern-trace/2" },
  "no records": { format: "lectern-trace/1", lecture: "x" },
  "an absolute path": trace({ source: 0, path: "/a.cpp", lines: [] }),
  "a span of three": trace({ function: 0, name: "f", source: 0, span: [1, 1, 1] }),
  "a kind of statement that is none": trace({ site: 0, function: 0, span: [1, 1, 1, 2], kind: "dance" }),
  "a step without a stack": trace({ at: 0 }),
  "a variable without a type": trace({ at: 0, in: 0, vars: { x: 5 } }),
  "a map's entry without its value": trace({ at: 0, in: 0, vars: { x: { type: "M", entries: [["k"]] } } }),
  "bytes that are not hexadecimal": trace({ at: 0, in: 0, vars: { x: { type: "S", value: { bytes: "zz" } } } }),
  "a tensor without a shape": trace({ at: 0, in: 0, vars: { x: { ...tensor, shape: undefined } } }),
  "a negative size": trace({ at: 0, in: 0, vars: { x: { ...tensor, shape: [2, -1] } } }),
  "text for a tensor's number": trace({ at: 0, in: 0, vars: { x: { ...tensor, data: ["1"] } } }),
  "a device that is none": trace({ at: 0, in: 0, vars: { x: { ...tensor, device: "gpu" } } }),
  "a claim without its outcome": trace({ at: 0, in: 0, claims: [{ op: "==", left: 1, right: 1 }] }),
  "an image outside of the assets": trace({ at: 0, in: 0, show: [{ kind: "image", src: "../a.svg" }] }),
  "an absolute image": trace({ at: 0, in: 0, show: [{ kind: "image", src: "/a.svg" }] }),
  "an image that climbs": trace({ at: 0, in: 0, show: [{ kind: "image", src: "a/../../b.svg" }] }),
  "an unknown callout": trace({ at: 0, in: 0, show: [{ kind: "callout", type: "shout", markdown: "" }] }),
  "an unknown end": trace({ end: "boredom" }),
};
for (const [what, document] of Object.entries(refused)) {
  if (validate(document)) fail(`the schema accepts ${what}`);
}
const accepted = trace(
  { at: 0, in: 0, later: 1, vars: { x: value, tensor, summary }, show: [{ kind: "later", what: 1 }] },
  { remark: "a record of a later version" },
);
if (!validate(accepted)) fail(`the schema refuses unknown fields: ${JSON.stringify(validate.errors)}`);

if (failures > 0) process.exit(1);
console.log(`${traceFiles.length} traces and ${Object.keys(refused).length} damaged ones: as they should be`);
