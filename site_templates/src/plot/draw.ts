// plots.js: Vega and Vega-Lite, and how a page draws with them. Only pages with a plot load it (plots.ts).

import { expressionFunction, parse, View, type LoggerInterface, type Spec } from "vega";
import { expressionInterpreter } from "vega-interpreter";
import { compile } from "vega-lite";
import { make } from "../element";
import { pageConfig, type Room } from "./config";
import "./contract";
import { crowding, type Crowding } from "./crowding";
import { composed, fitted } from "./fit";
import { check, noLoader, range } from "./refuse";

expressionFunction("sequence", range);

/** Collects errors; warnings are for the author, in Vega's editor. Vega calls the methods unbound. */
class ErrorLog implements LoggerInterface {
  readonly errors: unknown[] = [];
  level(): number;
  level(level: number): this;
  level(level?: number): number | this {
    return level === undefined ? 1 : this;
  }
  readonly error = (...messages: readonly unknown[]): this => {
    this.errors.push(messages[0]);
    return this;
  };
  readonly warn = (): this => this;
  readonly info = (): this => this;
  readonly debug = (): this => this;
}

function read(text: string): Record<string, unknown> {
  const spec: unknown = JSON.parse(text);
  if (typeof spec !== "object" || spec === null || Array.isArray(spec)) throw new Error("its specification is not an object");
  const fields = spec as Record<string, unknown>;
  if (/\/schema\/vega\//.test(String(fields.$schema))) throw new Error("its specification is one of Vega, not of Vega-Lite");
  return fields;
}

interface Drawn {
  view: View;
  spec: Spec;
  picture: HTMLElement;
  controls: HTMLElement;
}

/** What Vega and Vega-Lite throw, for a reader. */
function readableError(error: unknown): Error {
  const message = error instanceof Error ? error.message : String(error);
  if (message.startsWith("Invalid specification")) return new Error("its specification has neither a mark nor views");
  return new Error(error instanceof TypeError ? `Vega-Lite makes no sense of its specification (${message})` : message);
}

async function draw(fields: Record<string, unknown>, room: Room, crowded: Crowding): Promise<Drawn> {
  const log = new ErrorLog();
  const view = composed(fields) ? { width: 200, height: 200 } : room;
  const { spec } = compile(fitted(fields, room), { config: pageConfig(room, view, crowded), logger: log });
  check(spec);
  // Only events in the plot, and the end of a drag that began there.
  const events = { bind: "container", selector: false, timer: false, window: ["pointermove", "pointerup", "mousemove", "mouseup"] };
  spec.config = { ...spec.config, events: events as NonNullable<typeof spec.config>["events"] };
  const drawn = new View(parse(spec, undefined, { ast: true }), {
    renderer: "svg", loader: noLoader, logger: log, expr: expressionInterpreter,
  });
  const picture = make("div", {});
  picture.setAttribute("aria-hidden", "true"); // its place has the name
  const controls = make("div", { className: "controls" });
  try {
    await drawn.initialize(picture, controls).runAsync();
    if (log.errors.length > 0) throw log.errors[0];
  } catch (error) {
    drawn.finalize();
    throw error;
  }
  return { view: drawn, spec, picture, controls };
}

/** A plot larger than its place, as those of several views may be, keeps its height and scrolls sideways. */
function fill(chart: HTMLElement, svg: SVGElement, { width, height }: Room): void {
  chart.classList.toggle("own", Math.abs(Number(svg.getAttribute("height")) - height) > 1);
  if (Number(svg.getAttribute("width")) > width + 1) chart.tabIndex = 0;
  else chart.removeAttribute("tabindex");
}

async function drawFitting(fields: Record<string, unknown>, room: Room): Promise<Drawn> {
  if (composed(fields)) return draw(fields, room, { upright: true });
  const first = await draw(fields, room, {});
  const font = getComputedStyle(document.documentElement).getPropertyValue("--sans");
  const crowded = crowding(first.view, first.spec, font, room.width);
  if (Object.keys(crowded).length === 0) return first;
  first.view.finalize();
  return draw(fields, room, crowded);
}

window.lecternDrawPlot = async (chart, text) => {
  const room = { width: chart.clientWidth, height: parseFloat(getComputedStyle(chart).getPropertyValue("--height")) };
  const { view, picture, controls } = await drawFitting(read(text), room).catch((error: unknown) => {
    throw readableError(error);
  });
  chart.replaceChildren(picture);
  fill(chart, picture.querySelector("svg")!, room);
  if (controls.hasChildNodes()) chart.after(controls);
  return () => {
    view.finalize();
    picture.remove();
    controls.remove();
  };
};
