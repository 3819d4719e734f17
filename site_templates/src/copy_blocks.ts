// Buttons at the blocks of the text: what copies listings, code in prose, output, values, tables and formulas. They take no
// room, so that nothing moves; a block has one when it is reached by pointer or keyboard (block_tools.css).

import { announce } from "./announce";
import { copyText, plainText } from "./clipboard";
import { make } from "./element";
import { codeOf } from "./value_code";
import { readValue } from "./value_data";

interface Kind {
  blocks: string;
  /** What the button says that it copies. */
  name: string;
  text: (block: Element) => string;
}

const inSlot = (selector: string): string => `.slot ${selector}`;
const kinds: Kind[] = [
  { blocks: `${inSlot("pre:has(> code)")}, ${inSlot(".verbatim-figure pre")}`, name: "the code", text: (block) => (block.textContent ?? "").replace(/\n?$/, "\n") },
  { blocks: `${inSlot("pre")}, .program-output pre, #output pre`, name: "the text", text: (block) => block.textContent ?? "" },
  { blocks: inSlot(".scroll:has(> table)"), name: "the table", text: tableText },
  { blocks: inSlot(".katex-display"), name: "the formula, as LaTeX", text: (block) => block.querySelector("annotation")?.textContent ?? "" },
  { blocks: inSlot(".shown-value"), name: "the value, as JSON", text: valueText },
];

/** Tab-separated, as spreadsheets paste it. */
function tableText(block: Element): string {
  const cellText = (cell: Element): string => plainText(cell.cloneNode(true)).replace(/\s+/g, " ").trim();
  return [...block.querySelectorAll("tr")].map((row) => [...row.children].map(cellText).join("\t")).join("\n");
}

function valueText(block: Element): string {
  const type = block.querySelector(":scope > .ty");
  const nodes = [...block.childNodes].filter((node) => node !== type && node !== block.firstElementChild);
  const holder = make("div", {}, ...nodes.map((node) => node.cloneNode(true)));
  return codeOf(readValue(holder.childNodes, type?.textContent ?? ""), "JSON");
}

/** The lines of a listing, from its first row to its last, as they are shown. */
function listingText(first: Element): string {
  const lines: string[] = [];
  for (let row: Element | null = first; row; row = row.nextElementSibling ?? row.closest(".block")?.nextElementSibling?.firstElementChild ?? null) {
    if (!row.matches(".row.code:not(.raw, .hide)")) continue;
    const code = row.querySelector(".c > code")!.cloneNode(true) as Element;
    for (const directive of code.querySelectorAll(".directive")) directive.remove();
    lines.push((code.textContent ?? "").trimEnd());
    if (row.matches(".last")) break;
  }
  return `${lines.join("\n")}\n`;
}

function copyButton(name: string): HTMLButtonElement {
  const button = make("button", { type: "button", className: "block-tool copies", textContent: "Copy" });
  button.setAttribute("aria-label", `Copy ${name}`);
  button.dataset.what = name;
  return button;
}

/** For the blocks of a part of the page. */
export function addCopyButtons(part: ParentNode): void {
  for (const { blocks, name } of kinds) {
    for (const block of part.querySelectorAll(blocks)) {
      if (!block.previousElementSibling?.matches(".block-tool")) block.before(copyButton(name));
    }
  }
  for (const row of part.querySelectorAll(".row.code.first:not(.raw, .hide)")) {
    if (!row.querySelector(":scope > .block-tool")) row.append(copyButton("this code"));
  }
}

async function copy(button: HTMLElement): Promise<void> {
  const name = button.dataset.what!;
  const row = button.closest(".row.code");
  const block = button.nextElementSibling!;
  const text = (): string => (row ? listingText(row) : kinds.find(({ name: each }) => each === name)!.text(block));
  if (!(await copyText(`${name[0]!.toUpperCase()}${name.slice(1)}`, text))) return;
  announce(() => `Copied ${name}.`);
  button.textContent = "Copied";
  setTimeout(() => (button.textContent = "Copy"), 2000);
}

export function initCopyButtons(): void {
  document.addEventListener("click", (event) => {
    const button = (event.target as Element).closest<HTMLElement>(".block-tool.copies");
    if (button) void copy(button);
  });}
