// What a calculator gave, as elements: the same as the page has from the lecture's run (engine/site/calculator_result.cpp).

import { make } from "./element";

interface Segment { label: string; text: string; value: number }
interface Shape { kind: string; points: number[]; color: number; text: string; anchor: string }

export interface Result {
  problems: { input: string; text: string }[];
  quantities: { label: string; text: string; value: number; note: string }[];
  bars: { label: string; segments: Segment[]; limits: Segment[] }[];
  drawings: { alt: string; width: number; height: number; shapes: Shape[] }[];
  cells: { label: string; cells: { text: string; color: number; title: string; marked: boolean }[] }[];
  tables: { header: string[]; rows: string[][] }[];
  notes: string[];
}

const most = 1e7;

/** A coordinate or a percentage. */
function tenths(value: number | null | undefined): string {
  const finite = Number.isFinite(value) ? Math.min(Math.max(value!, -most), most) : 0;
  return String(Math.floor(finite * 10 + 0.5) / 10 || 0);
}

function colorClass(color: number): string {
  return color >= 1 && color <= 8 ? `c${color}` : color < 0 ? "quiet" : "ink";
}

function quantities(list: Result["quantities"]): HTMLElement[] {
  if (list.length === 0) return [];
  const rows = list.map(({ label, text, note }) => {
    const value = make("dd", {}, text);
    if (note !== "") value.append(make("small", {}, note));
    return make("div", {}, make("dt", {}, label), value);
  });
  return [make("dl", { className: "quantities" }, ...rows)];
}

const length = (value: number): number => (Number.isFinite(value) ? Math.max(0, value) : 0);

function bar({ label, segments, limits }: Result["bars"][number]): HTMLElement {
  const total = segments.reduce((sum, { value }) => sum + length(value), 0);
  const scale = Math.max(total, ...limits.map(({ value }) => length(value))) || 1;
  const parts: HTMLElement[] = [];
  const legend: HTMLElement[] = [];
  const add = (part: HTMLElement, style: string, name: string, entry: Segment): void => {
    part.setAttribute("style", style);
    parts.push(part);
    legend.push(make("li", { className: name }, make("span", {}, entry.label), " ", make("b", {}, entry.text)));
  };
  segments.forEach((segment, index) => {
    const className = `c${(index % 8) + 1}`;
    add(make("span", { className }), `width:${tenths((100 * length(segment.value)) / scale)}%`, className, segment);
  });
  for (const limit of limits) {
    const className = total > limit.value ? "limit over" : "limit";
    add(make("i", { className }), `left:${tenths((100 * length(limit.value)) / scale)}%`, className, limit);
  }
  return make("div", { className: "stacked" }, make("p", {}, label), make("div", { className: "segments" }, ...parts), make("ul", {}, ...legend));
}

function svg(name: string, attributes: Record<string, string>, text = ""): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== "") element.append(text);
  return element;
}

function shape({ kind, points, color, text, anchor }: Shape): SVGElement {
  const name = colorClass(color);
  const at = (index: number): string => tenths(points[index]);
  if (kind === "label") {
    return svg("text", { class: name, x: at(0), y: at(1), "text-anchor": anchor === "start" || anchor === "end" ? anchor : "middle" }, text);
  }
  const made =
    kind === "rect" ? svg("rect", { class: name, x: at(0), y: at(1), width: at(2), height: at(3) })
    : kind === "dot" ? svg("circle", { class: name, cx: at(0), cy: at(1), r: "4" })
    : svg(kind === "area" ? "polygon" : "polyline", { class: kind === "dashes" ? `${name} dashes` : name, points: points.map(tenths).join(" ") });
  if (text !== "") made.append(svg("title", {}, text));
  return made;
}

function drawing({ alt, width, height, shapes }: Result["drawings"][number]): SVGElement {
  const made = svg("svg", { class: "drawing", viewBox: `0 0 ${tenths(width)} ${tenths(height)}`, role: "img", "aria-label": alt });
  made.append(...shapes.map(shape));
  return made;
}

function cellRow({ label, cells }: Result["cells"][number]): HTMLElement {
  const items = cells.map(({ text, color, title, marked }) => {
    const item = make("li", { className: colorClass(color) + (marked ? " on" : "") });
    if (title !== "") item.title = title;
    item.append(text);
    return item;
  });
  return make("div", { className: "cell-row" }, make("p", {}, label), make("ol", {}, ...items));
}

function table({ header, rows }: Result["tables"][number]): HTMLElement {
  const row = (texts: string[], name: "td" | "th"): HTMLElement =>
    make("tr", {}, ...texts.map((text, index) => {
      const cell = make(name, {});
      if (name === "th") cell.setAttribute("scope", "col");
      if (index > 0) cell.setAttribute("align", "right");
      cell.append(text);
      return cell;
    }));
  const made = make("table", {}, make("thead", {}, row(header, "th")), make("tbody", {}, ...rows.map((texts) => row(texts, "td"))));
  const scroll = make("div", { className: "scroll" }, made);
  scroll.setAttribute("tabindex", "0");
  return scroll;
}

export function elementsOf(result: Result): Element[] {
  return [
    ...quantities(result.quantities),
    ...result.bars.map(bar),
    ...result.drawings.map(drawing),
    ...result.cells.map(cellRow),
    ...result.tables.map(table),
    ...result.notes.map((note) => make("p", { className: "remark" }, note)),
  ];
}
