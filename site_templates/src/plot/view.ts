// From a specification to Vega's view, the same in the browser (draw.ts) and when the page is made (still.ts).

import { expressionFunction, parse, parseExpression, View, type Loader, type LoggerInterface, type Spec } from "vega";
import { expressionInterpreter } from "vega-interpreter";
import { compile } from "vega-lite";
import { pageConfig, type Room } from "./config";
import { crowding, type Crowding } from "./crowding";
import { composed, fitted } from "./fit";
import { check, range } from "./refuse";

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

/** Where a plot is drawn. */
export interface Surface {
  room: Room;
  /** Text is measured without a page, which would resolve variables. */
  font: string;
  /** The width of a text of 12.5 pixels. */
  measure: (text: string) => number;
  loader: Loader;
  /** Draws a view. */
  run: (view: View) => Promise<unknown>;
}

/** What Vega's parser of expressions throws, which does not say of which one. */
const notParsed = /^(Disabled\.|Unexpect)/;

/** Why a text is no expression; nothing if it is one. */
function expressionProblem(text: string): string | undefined {
  try {
    parseExpression(text);
    return undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (message === "Disabled.") return "there are no commas, keywords, ++ and -- in expressions";
    if (message.startsWith("Unexpected end")) return "it ends too early";
    return "it goes on after its end, or has a character that begins nothing";
  }
}

/** The first text in a specification that stands for an expression and is none. */
function wrongExpression(node: unknown): string | undefined {
  if (typeof node !== "object" || node === null) return undefined;
  for (const [name, child] of Object.entries(node)) {
    if (name === "values" || name === "datasets") continue;
    const problem = typeof child === "string" && /^(calculate|filter|test|(.*[eE])?xpr)$/.test(name) ? expressionProblem(child) : undefined;
    const found = problem === undefined ? wrongExpression(child) : `its expression ${JSON.stringify(child)} cannot be read: ${problem}`;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What Vega and Vega-Lite throw, for a reader. */
function readableError(error: unknown, text: string): Error {
  const message = error instanceof Error ? error.message : String(error);
  if (notParsed.test(message) && !(error instanceof SyntaxError)) return new Error(wrongExpression(JSON.parse(text)) ?? "an expression in it cannot be read");
  if (message.startsWith("Invalid specification")) return new Error("its specification has neither a mark nor views");
  return new Error(error instanceof TypeError ? `Vega-Lite makes no sense of its specification (${message})` : message);
}

async function viewOf(fields: Record<string, unknown>, surface: Surface, crowded: Crowding): Promise<{ view: View; spec: Spec }> {
  const { room, font, loader } = surface;
  const log = new ErrorLog();
  const each = composed(fields) ? { width: 200, height: 200 } : room;
  const { spec } = compile(fitted(fields, room), { config: pageConfig(room, each, font, crowded), logger: log });
  check(spec);
  // Only events in the plot, and the end of a drag that began there.
  const events = { bind: "container", selector: false, timer: false, window: ["pointermove", "pointerup", "mousemove", "mouseup"] };
  spec.config = { ...spec.config, events: events as NonNullable<typeof spec.config>["events"] };
  const view = new View(parse(spec, undefined, { ast: true }), {
    renderer: "svg", loader, logger: log, expr: expressionInterpreter,
  });
  try {
    await surface.run(view);
    if (log.errors.length > 0) throw log.errors[0];
  } catch (error) {
    view.finalize();
    throw error;
  }
  return { view, spec };
}

async function fittingView(fields: Record<string, unknown>, surface: Surface): Promise<View> {
  if (composed(fields)) return (await viewOf(fields, surface, { upright: true })).view;
  const { view, spec } = await viewOf(fields, surface, {});
  const crowded = crowding(view, spec, surface.measure, surface.room.width);
  if (Object.keys(crowded).length === 0) return view;
  view.finalize();
  return (await viewOf(fields, surface, crowded)).view;
}

/** Draws the Vega-Lite specification `text`. Throws an error with a message for the reader. */
export async function drawnView(text: string, surface: Surface): Promise<View> {
  try {
    return await fittingView(read(text), surface);
  } catch (error) {
    throw readableError(error, text);
  }
}
