// plots.js: Vega and Vega-Lite, and how a page draws with them. Only pages with a plot load it (plots.ts).

import { expressionFunction, parse, View, type LoggerInterface, type Spec } from "vega";
import { expressionInterpreter } from "vega-interpreter";
import { compile } from "vega-lite";
import { pageConfig, type Room } from "./config";
import "./contract";
import { crowding, type Crowding } from "./crowding";
import { composed, fitted } from "./fit";
import { check, noLoader, range } from "./refuse";

expressionFunction("sequence", range);

/** Takes note of errors; what Vega-Lite advises besides is for the author, in Vega's editor. Vega calls without `this`. */
class Notes implements LoggerInterface {
  readonly errors: unknown[] = [];
  level(): number;
  level(level: number): this;
  level(level?: number): number | this {
    return level === undefined ? 1 : this;
  }
  readonly error = (...words: readonly unknown[]): this => {
    this.errors.push(words[0]);
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

/** Of what Vega and Vega-Lite throw. */
function inWords(error: unknown): Error {
  const message = error instanceof Error ? error.message : String(error);
  if (message.startsWith("Invalid specification")) return new Error("its specification has neither a mark nor views");
  return new Error(error instanceof TypeError ? `Vega-Lite makes no sense of its specification (${message})` : message);
}

async function draw(fields: Record<string, unknown>, room: Room, crowded: Crowding): Promise<Drawn> {
  const notes = new Notes();
  const view = composed(fields) ? { width: 200, height: 200 } : room;
  const { spec } = compile(fitted(fields, room), { config: pageConfig(room, view, crowded), logger: notes });
  check(spec);
  // Only what happens in the plot, and where a drag that began there ends.
  const events = { bind: "container", selector: false, timer: false, window: ["pointermove", "pointerup", "mousemove", "mouseup"] };
  spec.config = { ...spec.config, events: events as NonNullable<typeof spec.config>["events"] };
  const drawn = new View(parse(spec, undefined, { ast: true }), {
    renderer: "svg", loader: noLoader, logger: notes, expr: expressionInterpreter,
  });
  const picture = document.createElement("div");
  picture.setAttribute("aria-hidden", "true"); // its place has the name
  const controls = document.createElement("div");
  controls.className = "controls";
  try {
    await drawn.initialize(picture, controls).runAsync();
    if (notes.errors.length > 0) throw notes.errors[0];
  } catch (error) {
    drawn.finalize();
    throw error;
  }
  return { view: drawn, spec, picture, controls };
}

/** What is larger than its place, as plots of several views may be, is as high as it is and scrolls sideways. */
function fill(chart: HTMLElement, svg: SVGElement, { width, height }: Room): void {
  chart.classList.toggle("own", Math.abs(Number(svg.getAttribute("height")) - height) > 1);
  if (Number(svg.getAttribute("width")) > width + 1) chart.tabIndex = 0;
  else chart.removeAttribute("tabindex");
}

async function drawn(fields: Record<string, unknown>, room: Room): Promise<Drawn> {
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
  const { view, picture, controls } = await drawn(read(text), room).catch((error: unknown) => {
    throw inWords(error);
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
