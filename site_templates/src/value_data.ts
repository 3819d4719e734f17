// A value that the page shows, read back as data: what is written on the page is all of it, with every digit.

import { withoutSeparators } from "./number_text";

export type Data =
  | { kind: "number" | "word"; text: string }
  | { kind: "string"; literal: string }
  | { kind: "list"; items: Data[]; cut: boolean }
  | { kind: "map"; entries: [Data, Data][]; cut: boolean }
  | { kind: "object"; fields: [string, Data][] }
  | { kind: "tensor"; dtype: string; shape: number[]; elements: string[]; summary: string };

/** What stands beside a value and is no part of it. */
const aside = ".share, .storage, .cut, .ty, .total, summary, [aria-hidden]";

/** Of what a value's element holds; `type` is what stands beside its name. */
export function readValue(nodes: Iterable<Node>, type: string): Data {
  const elements = [...nodes].filter((node): node is Element => node instanceof Element);
  const cut = elements.some((element) => element.matches(".cut"));
  const main = elements.find((element) => !element.matches(aside)) ?? elements.find((element) => element.matches(".cut"));
  return main ? readElement(main, type, cut) : { kind: "word", text: "" };
}

function readElement(element: Element, type: string, cut: boolean): Data {
  const scalarTensor = /^\w+ \[\]/.test(type) && element.matches(".num");
  if (element.matches(".tensor") || scalarTensor) return readTensor(element, type);
  if (element.matches("details.tree")) return readValue(element.childNodes, element.querySelector(":scope > summary > .ty")?.textContent ?? "");
  if (element.matches(".num")) return { kind: "number", text: plainNumber(element.textContent ?? "") };
  if (element.matches("details.long")) return { kind: "string", literal: element.querySelector(":scope > .str")?.textContent ?? "" };
  if (element.matches(".str")) return { kind: "string", literal: element.textContent ?? "" };
  if (element.matches(".seq")) return { kind: "list", items: inLine(element).map((nodes) => readValue(nodes, "")), cut };
  if (element.matches("ol")) return { kind: "list", items: [...element.children].map((item) => readValue(item.childNodes, "")), cut };
  if (element.matches("dl")) {
    const names = [...element.children].filter((child) => child.localName === "dt");
    return { kind: "object", fields: names.map((name) => [name.textContent ?? "", readValue(name.nextElementSibling!.childNodes, "")]) };
  }
  if (element.matches(".scroll")) return readTable(element.firstElementChild!, cut);
  if (element.matches(".to")) return readValue(element.childNodes, type);
  return { kind: "word", text: element.textContent ?? "" };
}

function readTable(table: Element, cut: boolean): Data {
  const rows = [...table.querySelectorAll(":scope > tbody > tr")];
  if (table.matches(".map")) return { kind: "map", entries: rows.map((row) => [readValue(row.children[0]!.childNodes, ""), readValue(row.children[1]!.childNodes, "")]), cut };
  return { kind: "list", items: rows.map((row) => ({ kind: "list", items: [...row.children].map((cell) => readValue(cell.childNodes, "")), cut: false })), cut };
}

/** The nodes of each item between brackets and commas. */
function inLine(list: Element): Node[][] {
  const items: Node[][] = [[]];
  for (const node of list.childNodes) {
    if (node instanceof Element) items.at(-1)!.push(node);
    else if (node.textContent === ", ") items.push([]);
  }
  return items;
}

function readTensor(element: Element, type: string): Data {
  const [, dtype = "", sizes = ""] = /^(\w+) \[(.*?)\]/.exec(type) ?? /^(\w+) \[(.*?)\]/.exec(element.querySelector(":scope > .ty")?.textContent ?? "") ?? [];
  const shape = sizes === "" ? [] : sizes.split(", ").map((size) => Number(/\d+$/.exec(size)?.[0] ?? 0));
  const whole = element.querySelector<HTMLElement>(".scroll[data-elements]")?.dataset.elements;
  const cells = element.matches(".num") ? [element] : [...element.querySelectorAll(".grid td:not(.gap)")];
  const elements = whole?.split(" ").map(plainNumber) ?? cells.map((cell) => plainNumber(cell.getAttribute("title") ?? cell.textContent ?? ""));
  const count = shape.reduce((product, size) => product * size, 1);
  const figures = [...element.querySelectorAll(".figures > span")].map((figure) => figure.textContent).join(", ");
  return { kind: "tensor", dtype, shape, elements, summary: elements.length === count ? "" : figures };
}

/** Without separators, and without the zeros that align the elements of a tensor. */
function plainNumber(text: string): string {
  return withoutSeparators(text).replaceAll("−", "-").replace(/(\.\d*?)0+(?=e|$)/, "$1").replace(/\.(?=e|$)/, ".0");
}
