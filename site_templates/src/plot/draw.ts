// plots.js: Vega and Vega-Lite, and how a page draws with them. Only pages with a plot load it (plots.ts).

import { make } from "../element";
import type { Room } from "./config";
import "./contract";
import { noLoader } from "./refuse";
import { drawnView } from "./view";

/** A plot larger than its place, as those of several views may be, keeps its height and scrolls sideways. */
function fill(chart: HTMLElement, svg: SVGElement, { width, height }: Room): void {
  chart.classList.toggle("own", Math.abs(Number(svg.getAttribute("height")) - height) > 1);
  if (Number(svg.getAttribute("width")) > width + 1) chart.tabIndex = 0;
  else chart.removeAttribute("tabindex");
}

/** The estimates of a picture's labels, which were made without their font, are pixels off: it is scaled by as little. */
function keepHeight(svg: SVGElement, still: SVGElement | null): void {
  const height = still?.getBoundingClientRect().height ?? 0;
  if (Math.abs(Number(svg.getAttribute("height")) - height) < 8) svg.setAttribute("height", String(height));
}

window.lecternDrawPlot = async (chart, text) => {
  const room = { width: chart.clientWidth, height: parseFloat(getComputedStyle(chart).getPropertyValue("--height")) };
  const font = getComputedStyle(document.documentElement).getPropertyValue("--sans").trim();
  const canvas = document.createElement("canvas").getContext("2d")!;
  canvas.font = `12.5px ${font}`;
  let picture = make("div", {});
  let controls = make("div", {});
  const view = await drawnView(text, {
    room,
    font,
    loader: noLoader,
    measure: (label) => canvas.measureText(label).width,
    run: (drawn) => {
      picture = make("div", {});
      picture.setAttribute("aria-hidden", "true"); // its place has the name
      controls = make("div", { className: "controls" });
      return drawn.initialize(picture, controls).runAsync();
    },
  });
  const svg = picture.querySelector("svg")!;
  keepHeight(svg, chart.querySelector<SVGElement>(".still.own"));
  chart.replaceChildren(picture);
  fill(chart, svg, room);
  if (controls.hasChildNodes()) chart.after(controls);
  return () => {
    view.finalize();
    picture.remove();
    controls.remove();
  };
};
