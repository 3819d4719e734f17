// Every npm package runs on the Node.js that site_templates/package.json asks for: Debian 12's.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";

const require = createRequire(new URL("../../site_templates/package.json", import.meta.url));
const semver = require("semver");

const { "": site, ...packages } = JSON.parse(readFileSync(require.resolve("./package-lock.json"), "utf8")).packages;
const oldest = semver.minVersion(site.engines.node);

test("the site asks for no newer Node.js than Debian 12 has", () => {
  assert.ok(semver.lte(oldest, "18.20.4"), `${site.engines.node} begins at ${oldest}`);
});

test("no package asks for a newer one", () => {
  assert.ok(Object.keys(packages).length > 0);
  const refused = Object.entries(packages).filter(([, { engines }]) => !semver.satisfies(oldest, engines?.node ?? "*"));
  assert.deepEqual(refused.map(([path, { version, engines }]) => `${path} ${version}: ${engines.node}`), []);
});

test("this Node.js is new enough, and loads what the pages, their build and their tests import", async (context) => {
  assert.ok(semver.satisfies(process.version, site.engines.node), `${process.version} is not ${site.engines.node}`);
  const imported = ["ajv/dist/2020.js", "axe-core", "esbuild", "lighthouse", "playwright-core", "typescript", "vega", "vega-interpreter", "vega-lite"];
  for (const name of imported) await context.test(name, () => import(require.resolve(name)));
});

test("esbuild's program runs", () => {
  const { code } = require("esbuild").transformSync("let sum: number = 1 + 2", { loader: "ts", minify: true });
  assert.equal(code, "let sum=3;\n");
});
