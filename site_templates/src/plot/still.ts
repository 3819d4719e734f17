// Plots as pictures for a page's HTML, drawn when the page is made (draw_plots.mjs), in a context that has JavaScript's own
// objects and nothing else.

import "./bare_globals"; // first: Vega looks for them when it is loaded
import { textMetrics, type Loader } from "vega";
import { noLoader } from "./refuse";
import { textWidth } from "./text_width";
import { drawnView } from "./view";

declare module "vega" {
  /** Missing from its types. */
  export const textMetrics: { width: (item: { fontSize?: number }, text: unknown) => number };
}

declare global {
  /** Draws a specification as SVG. Throws an error with a message for the author. */
  function lecternStill(text: string, width: number, height: number): Promise<string>;
}

textMetrics.width = (item, text) => textWidth(String(text ?? "").trim(), Number(item.fontSize ?? 11));

/** A picture has no links. */
const unlinked: Loader = { ...noLoader, sanitize: () => Promise.resolve({ href: "" }) };

/** Pictures of more bytes are heavier than what they show. */
const most = 400_000;

globalThis.lecternStill = async (text, width, height) => {
  const view = await drawnView(text, {
    room: { width, height },
    font: "inherit",
    loader: unlinked,
    measure: (label) => textWidth(label, 12.5),
    run: (drawn) => drawn.runAsync(),
  });
  const svg = await view.toSVG();
  view.finalize();
  // Hundredths of a pixel are not seen.
  const lean = svg.replace(/ (?:d|transform)="[^"]*"/g, (attribute) => attribute.replace(/(\.\d\d)\d+/g, "$1"));
  if (lean.length > most) throw new Error(`its picture would have ${Math.round(lean.length / 1000)} kB`);
  return lean;
};
