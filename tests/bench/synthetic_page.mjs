// A page of any number of steps that keeps the contract of site_templates/src/data.ts: for measuring the script without
// waiting for a lecture of that length. A main function of prose, and functions of loops that call one another.

import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const functions = 40;
const bodyLines = 12;

export function writeSyntheticPage({ templates, folder, steps }) {
  const page = join(folder, "synthetic");
  mkdirSync(page, { recursive: true });
  cpSync(join(templates, "assets"), join(folder, "assets"), { recursive: true });
  const { data, body } = synthesize(steps);
  const outline = Array.from({ length: functions }, (_, i) => ({ level: 2, id: `part-${i}`, text: `Part ${i}` }));
  const html = fill(readFileSync(join(templates, "lecture.mustache"), "utf8"), {
    lang: "en", title: "Synthetic", has_outline: true, outline, body, last_step: steps - 1, math: true, claims: "",
    policy:
      "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self' data:; " +
      "font-src 'self'; media-src 'self'",
  });
  writeFileSync(join(page, "index.html"), html);
  writeFileSync(join(page, "steps.js"), `lectern(${JSON.stringify(data)})\n`);
  return join(page, "index.html");
}

/** As much of Mustache as the template needs. */
function fill(template, view) {
  return template
    .replace(/{{#(\w+)}}([\s\S]*?){{\/\1}}/g, (_, name, inner) => {
      const value = view[name];
      if (Array.isArray(value)) return value.map((item) => fill(inner, { ...view, ...item })).join("");
      return value ? fill(inner, view) : "";
    })
    .replace(/{{\^(\w+)}}([\s\S]*?){{\/\1}}/g, (_, name, inner) => (view[name] ? "" : fill(inner, view)))
    .replace(/{{{(\w+)}}}|{{(\w+)}}/g, (_, raw, name) => String(view[raw ?? name] ?? ""));
}

function synthesize(count) {
  const data = {
    lecture: "synthetic", sources: ["synthetic.cpp"], functions: [], sites: [], stacks: [], at: [], in: [], enter: {},
    after: [], vars: {}, clear: {}, show: {}, claims: {}, out: {}, ended: -1, values: [], html: [],
  };
  const rows = [];
  let line = 0;
  const site = (fn, kind, html) => {
    ++line;
    const index = data.sites.push([0, line, line, fn, kind, `f${fn}~${String(line).padStart(8, "0")}`]) - 1;
    rows.push(html(line, index));
    return index;
  };
  const code = (text, mark = "") => (at, index) =>
    `<div class="row code ${mark} site" id="s0-${at}" data-line="${at}"><a class="n" href="#s0-${at}">${at}</a><pre class="c">` +
    `<code class="src">  <span class="k">auto</span> ${text}</code><span class="chips"><span class="chip" data-site="${index}" ` +
    `data-name="x" title="double">x <i>0</i></span></span></pre></div>`;
  const prose = (html) => (at, index) =>
    `<div class="row shown" id="s0-${at}" data-line="${at}" data-site="${index}"><a class="n" href="#s0-${at}">${at}</a>` +
    `<div class="slot">${html}</div></div>`;

  const bodies = [];
  for (let fn = 0; fn < functions; ++fn) {
    const first = line + 1;
    const sites = [site(fn, "hook", prose(`<h2 id="part-${fn}">Part ${fn}</h2><p>What this part is about, in a line of prose.</p>`))];
    for (let i = 0; i < bodyLines; ++i) {
      const mark = i === 0 ? "first" : i === bodyLines - 1 ? "last" : "";
      sites.push(site(fn, "", code(`x${i} = <span class="f">step</span>(<span class="m">${i}</span>);`, mark)));
    }
    data.functions.push([`part_${fn}`, 0, first, line]);
    bodies.push(sites);
  }
  data.stacks.push([-1, -1, 0, "part_0"]);
  for (let fn = 1; fn < functions; ++fn) data.stacks.push([0, bodies[0][1], fn, `part_${fn}`]);

  const fragment = (html) => data.html.push(html) - 1;
  for (let i = 0; i < 1000; ++i) {
    data.values.push(["double", `${i}.5`, fragment(`<span class="num">${i}.5</span>`)]);
  }
  const shown = bodies.map((_, fn) => [0, 1, 2].map((k) => fragment(`<h2 id="part-${fn}">Part ${fn}</h2><p>What this part is about, ${k}.</p>`)));

  // Part 0 calls the others in turn; each runs its body as a loop.
  const step = (at, stack) => {
    const now = data.at.push(at) - 1;
    data.in.push(stack);
    return now;
  };
  data.enter[0] = 1;
  for (let call = 0; data.at.length < count; ++call) {
    step(bodies[0][1], 0);
    const fn = 1 + (call % (functions - 1));
    data.enter[data.at.length] = 1;
    for (let pass = 0; pass < 4; ++pass) {
      bodies[fn].forEach((at, index) => {
        const now = step(at, fn);
        if (index === 0) data.show[now] = shown[fn][pass % 3];
        else data.vars[now] = [[`x${index}`, (now * 7) % 1000]];
      });
    }
    data.after.push(step(bodies[0][1], 0));
  }
  data.at.length = data.in.length = count;
  for (const table of [data.vars, data.show, data.enter]) {
    for (const key of Object.keys(table)) if (Number(key) >= count) delete table[key];
  }
  data.after = data.after.filter((at) => at < count);
  return { data, body: `<section class="source" data-source="0">${rows.join("\n")}</section>` };
}
