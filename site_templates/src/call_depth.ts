// How deep in calls the run is, over the whole of it: an area above the slider, so that the reader sees where calls begin and
// end, and which are alike.

import type { Model } from "./model";

/** Of the steps in one part the deepest is drawn. */
const parts = 400;

/** Undefined for a run without calls. */
export function callDepth(model: Model): SVGElement | undefined {
  const depths: number[] = [];
  const count = Math.min(parts, model.count);
  for (let step = 0; step < model.count; ++step) {
    const part = Math.floor((step * count) / model.count);
    depths[part] = Math.max(depths[part] ?? 0, model.depthOf(step));
  }
  const deepest = depths.reduce((most, depth) => Math.max(most, depth), 0);
  if (deepest < 2) return undefined;
  const height = (depth: number): string => (1 - (depth - 1) / (deepest - 1)).toFixed(3);
  const outline = depths.map((depth, part) => `V${height(depth)}H${part + 1}`).join("");
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", "calls");
  svg.setAttribute("viewBox", `0 0 ${count} 1`);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  const area = document.createElementNS("http://www.w3.org/2000/svg", "path");
  area.setAttribute("d", `M0 1${outline}V1z`);
  svg.append(area);
  return svg;
}
