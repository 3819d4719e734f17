// Between the page's script, which knows when a plot is wanted, and plots.js, which draws it.

/**
 * Draws the Vega-Lite specification `text` in `chart`, as wide as that is. Controls that the specification asks for come
 * after it. Returns a function that removes it. Throws an error with a message for the reader when it cannot be drawn; `chart`
 * is unchanged then.
 */
export type DrawPlot = (chart: HTMLElement, text: string) => Promise<() => void>;

declare global {
  interface Window {
    lecternDrawPlot?: DrawPlot;
  }
}
