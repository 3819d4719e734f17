// What can be found on a page: sections, functions, variables, commands, lines of code, prose.

import type { ChangeIndex } from "./changes";
import type { Entry } from "./find_rank";
import { table, type Action } from "./keys";
import type { Model } from "./model";
import type { Section } from "./sections";

export interface Reader {
  jump(step: number): void;
  act(action: Action): void;
  /** To the next time that a row's line ran, or to the row if it never did. */
  visit(row: HTMLElement): void;
  openHistory(fn: number, name: string): void;
}

export function collect(model: Model, changes: ChangeIndex, sections: readonly Section[], reader: Reader): Entry[] {
  const placeOf = placeNames();
  return [
    ...sections.map(({ title, link }): Entry => ({ kind: "section", label: title, detail: "", go: () => link.click() })),
    ...functions(model, reader, placeOf),
    ...variables(model, changes, reader),
    ...commands(reader),
    ...lines(reader, placeOf),
    ...prose(model, reader, placeOf),
    ...works(reader),
  ];
}

type PlaceOf = (source: number, line: number) => string;

/** "line 12" and, in a lecture of several files, of which. */
function placeNames(): PlaceOf {
  const files = new Map<number, string>();
  for (const path of document.querySelectorAll<HTMLElement>(".source > .path")) {
    files.set(Number(path.parentElement!.dataset.source), path.textContent!.replace(/^.*\//, ""));
  }
  return (source, line) => [`line ${line}`, files.get(source)].filter(Boolean).join(", ");
}

function functions(model: Model, reader: Reader, placeOf: PlaceOf): Entry[] {
  const first = new Map<number, number>();
  for (let step = model.last; step >= 0; --step) first.set(model.functionOf(model.activationOf(step)), step);
  return model.data.functions.map(([label, source, line], fn) => {
    const step = first.get(fn);
    const row = document.getElementById(`s${source}-${line}`);
    const go = (): void => (step !== undefined ? reader.jump(step) : row ? reader.visit(row) : undefined);
    return { kind: "function", label, detail: `${placeOf(source, line)}${step === undefined ? ", never entered" : ""}`, go };
  });
}

function variables(model: Model, changes: ChangeIndex, reader: Reader): Entry[] {
  return changes.all().map(({ fn, name, count }) => {
    const values = count === 1 ? "one value" : `${count.toLocaleString("en")} values`;
    return { kind: "variable", label: name, detail: `${model.data.functions[fn]?.[0] ?? ""}, ${values}`, go: () => reader.openHistory(fn, name) };
  });
}

function commands(reader: Reader): Entry[] {
  const others = table.filter(([, action]) => action !== "find");
  return others.map(([keys, action, label]) => ({ kind: "command", label, detail: keys[0]!, go: () => reader.act(action) }));
}

function lines(reader: Reader, placeOf: PlaceOf): Entry[] {
  const entries: Entry[] = [];
  for (const row of document.querySelectorAll<HTMLElement>(".row.code:not(.raw)")) {
    const code = [...(row.querySelector(".c > code")?.childNodes ?? [])].filter((part) => !(part instanceof Element && part.matches(".directive")));
    const label = code.map((part) => part.textContent).join("").trim();
    const detail = placeOf(Number(row.closest<HTMLElement>(".source")!.dataset.source), Number(row.dataset.line));
    if (/\w/.test(label)) entries.push({ kind: "line", label, detail, go: () => reader.visit(row) });
  }
  return entries;
}

function prose(model: Model, reader: Reader, placeOf: PlaceOf): Entry[] {
  const entries: Entry[] = [];
  for (const slot of document.querySelectorAll<HTMLElement>(".row[data-site]:not(.quiet) > .slot")) {
    const row = slot.parentElement!;
    const site = Number(row.dataset.site);
    const [source = 0, line = 0] = model.data.sites[site] ?? [];
    const go = (): void => {
      const step = model.executions[site]?.[0];
      if (step === undefined) reader.visit(row);
      else reader.jump(step);
    };
    for (const label of paragraphs(slot)) entries.push({ kind: "text", label, detail: placeOf(source, line), go });
  }
  return entries;
}

/** The references, where the text has them first. */
function works(reader: Reader): Entry[] {
  return [...document.querySelectorAll<HTMLElement>(".references > ol > li")].flatMap((work, at): Entry[] => {
    const row = document.querySelector(`.ref[data-ref="${at + 1}"]`)?.closest<HTMLElement>(".row");
    return row ? [{ kind: "text", label: work.textContent!, detail: "reference", go: () => reader.visit(row) }] : [];
  });
}

/** The texts of a slot without mathematics, which says everything twice, and without speaker's notes. */
function paragraphs(slot: Element): string[] {
  const texts: string[] = [];
  for (const part of slot.querySelectorAll("p, li, figcaption, td, blockquote")) {
    if (part.closest(".note, .card, .katex") || part.querySelector("p, li")) continue;
    const walker = document.createTreeWalker(part, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) =>
      node instanceof Element ? (node.matches(".katex, .card") ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_SKIP) : NodeFilter.FILTER_ACCEPT,
    );
    let text = "";
    while (walker.nextNode()) text += walker.currentNode.textContent!;
    text = text.replace(/\s+/g, " ").trim();
    if (/[\p{L}\p{N}]/u.test(text)) texts.push(text);
  }
  return texts;
}

/** The row of a line; of one within a statement of hooks, what that shows. */
function rowOfLine(model: Model, source: number, line: number): HTMLElement | null {
  const row = document.getElementById(`s${source}-${line}`);
  const around = row ? undefined : model.data.sites.find(([file, first, last]) => file === source && first <= line && line <= last);
  return around ? document.getElementById(`s${source}-${around[1]}`) : row;
}

/** What a number may mean: a step, a line, a pass of the line that is shown. */
export function numbered(query: string, at: number, model: Model, reader: Reader): Entry[] {
  const match = /^\s*(step|line|pass|:)?\s*(\d{1,9})\s*$/i.exec(query);
  if (!match) return [];
  const what = match[1] === ":" ? "line" : match[1]?.toLowerCase();
  const number = Number(match[2]);
  const told = number.toLocaleString("en");
  const entries: Entry[] = [];
  if ((what ?? "step") === "step" && number >= 1 && number <= model.count) {
    entries.push({ kind: "step", label: `Go to step ${told}`, detail: `of ${model.count.toLocaleString("en")}`, go: () => reader.jump(number - 1) });
  }
  if ((what ?? "line") === "line") {
    for (const section of new Set([...document.querySelectorAll<HTMLElement>(".source")].map((each) => each.dataset.source))) {
      const row = rowOfLine(model, Number(section), number);
      const path = document.querySelector(`.source[data-source="${section}"] > .path`)?.textContent ?? "";
      if (row) entries.push({ kind: "step", label: `Line ${number}`, detail: path, go: () => reader.visit(row) });
    }
  }
  const passes = model.executions[model.site(at)]!;
  const pass = passes[number - 1];
  if ((what ?? "pass") === "pass" && pass !== undefined && passes.length > 1) {
    const [, line] = model.data.sites[model.site(at)]!;
    entries.push({ kind: "step", label: `Pass ${told} of line ${line}`, detail: `of ${passes.length.toLocaleString("en")}`, go: () => reader.jump(pass) });
  }
  return entries;
}
