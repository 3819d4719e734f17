// What does not fit in one row. That is known once a plot has been drawn; it is then drawn again.

import type { Spec, View } from "vega";

export interface Crowding {
  /** Entries of a legend in one row; undefined: all of them. */
  columns?: number;
  /** Whether the names of categories under the plot stand upright, each in its own column. */
  upright?: boolean;
}

type Scale = { domain?: () => unknown; step?: () => number };

const symbol = 18;
const gap = 14;

function domainOf(view: View, scale: string): unknown[] {
  const domain: unknown = (view.scale(scale) as Scale).domain?.();
  return Array.isArray(domain) ? domain : [];
}

/** Of a plot of one view, drawn `width` wide; `measure` gives the width of a text of 12.5 pixels. */
export function crowding(view: View, spec: Spec, measure: (text: string) => number, width: number): Crowding {
  const widthOf = (label: unknown): number => measure(String(label));
  const found: Crowding = {};

  for (const legend of spec.legends ?? []) {
    const scale = legend.stroke ?? legend.fill ?? legend.shape ?? legend.strokeDash ?? legend.size ?? legend.opacity;
    if (scale === undefined || legend.type === "gradient" || (legend.orient !== undefined && legend.orient !== "top")) continue;
    const entries = domainOf(view, scale).map((label) => symbol + widthOf(label) + gap);
    const title = typeof legend.title === "string" && width >= 480 ? widthOf(legend.title) + gap : 0;
    const room = width - title + gap;
    if (entries.reduce((sum, entry) => sum + entry, 0) <= room) continue;
    found.columns = Math.min(found.columns ?? Infinity, Math.max(1, Math.floor(room / Math.max(...entries))));
  }

  for (const { scale, orient } of spec.axes ?? []) {
    if (orient !== "bottom") continue;
    const labels = domainOf(view, scale);
    const { step } = view.scale(scale) as Scale;
    if (step && Math.max(...labels.map(widthOf)) + gap / 2 > step()) found.upright = true;
  }
  return found;
}
