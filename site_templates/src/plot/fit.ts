// Makes a specification as wide as its place.

import type { TopLevelSpec } from "vega-lite";
import type { Room } from "./config";

type Fields = Record<string, unknown>;

function has(value: unknown, ...names: string[]): boolean {
  return typeof value === "object" && value !== null && names.some((name) => name in value);
}

/** Plots of several views keep their sizes: Vega-Lite fits only a single one. */
export function composed(spec: Fields): boolean {
  return has(spec, "concat", "hconcat", "vconcat", "facet", "repeat") || has(spec.encoding, "facet", "row", "column");
}

/** A view fills its place; but where each category has room of its own ({"step": 20}), it is as large as they ask for. */
export function fitted(spec: Fields, { width, height }: Room): TopLevelSpec {
  if (composed(spec)) return spec as unknown as TopLevelSpec;
  return {
    ...spec,
    width: has(spec.width, "step") ? spec.width : width,
    ...(spec.height === undefined || has(spec.height, "step") ? {} : { height }),
    autosize: { type: "fit", contains: "padding" },
  } as unknown as TopLevelSpec;
}
