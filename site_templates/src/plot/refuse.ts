// What a specification may not ask for: a page loads nothing but itself, and a plot stays in its place.

import type { Loader, Spec } from "vega";

/** The page's policy would stop it too; this says so first. */
export class Refused extends Error {}

/** For what a plot asks for while it is drawn. */
export const noLoader: Loader = {
  load: () => Promise.reject(new Refused("nothing is loaded")),
  sanitize: () => Promise.reject(new Refused("nothing is loaded")),
  http: () => Promise.reject(new Refused("nothing is loaded")),
  file: () => Promise.reject(new Refused("nothing is loaded")),
};

/** Larger numbers would make the page hang instead of a plot. */
const limits: Record<string, number> = { tickCount: 1000, maxbins: 10_000, steps: 10_000, order: 100 };
const most = 100_000;

const inputs = new Set<unknown>(["checkbox", "select", "radio", "range"]);

type Fields = Record<string, unknown>;

function checkFields(node: Fields): void {
  for (const data of Array.isArray(node.data) ? (node.data as Fields[]) : []) {
    if ("url" in data) throw new Refused("its data is in another file, which pages do not load; give the values themselves");
  }
  if (node.type === "image") throw new Refused("it shows images from files; give images to image()");
  for (const [name, limit] of Object.entries(limits)) {
    if (typeof node[name] === "number" && node[name] > limit) throw new Refused(`its ${name} is larger than ${limit}`);
  }
  const sequence = node.type === "sequence" ? node : undefined;
  if (sequence && !(Math.abs((Number(sequence.stop) - Number(sequence.start ?? 0)) / Number(sequence.step ?? 1)) <= most)) {
    throw new Refused(`it makes a sequence of more than ${most.toLocaleString("en")} numbers`);
  }
  const bind = node.bind as Fields | undefined;
  if (typeof bind === "object" && bind !== null && ("element" in bind || !inputs.has(bind.input))) {
    throw new Refused("it is bound to a part of the page; checkbox, select, radio and range may be");
  }
}

/** Throws Refused. The values of its data are not looked at. */
export function check(spec: Spec): void {
  const visit = (node: unknown): void => {
    if (typeof node === "string" && /\burl\s*\(/i.test(node)) throw new Refused("it names a file with url(…), which pages do not load");
    if (typeof node !== "object" || node === null) return;
    if (Array.isArray(node)) return node.forEach(visit);
    checkFields(node as Fields);
    for (const [name, child] of Object.entries(node)) if (name !== "values") visit(child);
  };
  visit(spec);
}

/** The expression language's `sequence`, limited to a size that a page can handle. */
export function range(...numbers: number[]): number[] {
  const [start, stop, step] = numbers.length > 1 ? [numbers[0]!, numbers[1]!, numbers[2] ?? 1] : [0, numbers[0] ?? 0, 1];
  const count = Math.max(0, Math.ceil((stop - start) / step)) || 0;
  if (count > most) throw new Refused(`it makes a sequence of more than ${most.toLocaleString("en")} numbers`);
  return Array.from({ length: count }, (_, index) => start + index * step);
}
