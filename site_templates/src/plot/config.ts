// A plot's appearance: the page's colours and type. Colours are the page's variables, so that a plot follows the theme, and the
// paper it is printed on, by itself.

import type { Config } from "vega-lite";
import type { Crowding } from "./crowding";

/** A ramp of colours that can be told from a light page and from a dark one. */
const ramp = { scheme: "viridis", extent: [0.2, 0.85] };

export interface Room {
  width: number;
  height: number;
}

/** For a plot of this size, in this font; `view`: the size of each of its views, unless the specification says it. */
export function pageConfig({ width, height }: Room, view: Room, font: string, { columns, upright }: Crowding): Config {
  const labels = { labelColor: "var(--ink-2)", labelFontSize: 12 };
  const titles = { titleColor: "var(--ink-2)", titleFontSize: 12.5, titleFontWeight: 500 as const };
  return {
    aria: false,
    background: "transparent",
    font,
    padding: 2,
    autosize: { type: "fit", contains: "padding" },
    view: { stroke: "transparent", continuousWidth: view.width, continuousHeight: view.height },
    axis: {
      ...labels, ...titles, titlePadding: 8,
      gridColor: "var(--rule)", domainColor: "var(--edge)", tickColor: "var(--edge)",
    },
    axisX: { grid: false, labelFlush: false, titleLimit: width },
    axisXBand: { labelAngle: upright ? -90 : 0 },
    axisXPoint: { labelAngle: upright ? -90 : 0 },
    axisY: { domain: false, ticks: false, labelPadding: 6, labelLimit: Math.round(width * 0.4), titleLimit: height },
    legend: {
      ...labels, ...titles, orient: "top", direction: "horizontal", titleOrient: width < 480 ? "top" : "left",
      offset: 8, titlePadding: 8, columnPadding: 14, symbolStrokeWidth: 2, labelLimit: width - 40, gradientLength: Math.min(220, width - 20),
      ...(columns === undefined ? {} : { columns }),
    },
    header: { ...labels, ...titles },
    title: {
      color: "var(--ink)", subtitleColor: "var(--ink-2)", fontSize: 14, fontWeight: 600, subtitleFontSize: 12.5, anchor: "start",
      frame: "bounds", offset: 10, limit: width,
    },
    mark: { color: "var(--c1)" },
    line: { strokeWidth: 2, strokeCap: "round", strokeJoin: "round" },
    point: { filled: true, size: 40 },
    rule: { color: "var(--ink-2)" },
    tick: { color: "var(--c1)" },
    text: { color: "var(--ink)", fontSize: 12 },
    boxplot: { median: { color: "var(--paper)" } },
    errorbar: { rule: { color: "var(--ink-2)" } },
    range: {
      category: [1, 2, 3, 4, 5, 6, 7, 8].map((n) => `var(--c${n})`),
      ordinal: ramp, ramp, heatmap: ramp, diverging: { scheme: "blueorange" },
    },
  };
}
