// What the reader copies.

import { showMessage } from "./announce";
import { make } from "./element";

/** Copies a text, or says why `what` ("The link") could not be copied; returns whether it was. */
export async function copyText(what: string, text: () => string): Promise<boolean> {
  try {
    await writeClipboard(text());
    return true;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    showMessage(`${what} could not be copied: ${why.replace(/\.$/, "")}.`);
    return false;
  }
}

async function writeClipboard(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = make("textarea", { value: text });
  document.body.append(area);
  area.select();
  const copied = document.execCommand("copy");
  area.remove();
  if (!copied) throw new Error("the browser refused");
}

/** The source of a formula, as it was written. */
function texOf(formula: Element): string {
  const tex = formula.querySelector("annotation")?.textContent ?? "";
  const mark = formula.matches(".katex-display") ? "$$" : "$";
  return mark + tex + mark;
}

/** The text of a copy of a part of the page, with formulas as LaTeX. It is shown, unseen, so that the browser says where lines end. */
export function plainText(copy: Node): string {
  const box = make("div", { className: "unseen copied" }, copy);
  for (const formula of box.querySelectorAll(".katex-display, :not(.katex-display) > .katex")) formula.replaceWith(texOf(formula));
  for (const tool of box.querySelectorAll(".block-tool")) tool.remove();
  document.body.append(box);
  const text = box.innerText;
  box.remove();
  return text;
}

/** A selection with formulas is copied with their source. */
export function copyFormulas(): void {
  document.addEventListener("copy", (event) => {
    const selection = getSelection();
    if (!selection || selection.isCollapsed || !event.clipboardData) return;
    const range = selection.getRangeAt(0).cloneRange();
    const formulaAt = (node: Node): Element | null | undefined => (node instanceof Element ? node : node.parentElement)?.closest(".katex-display, .katex");
    const [first, last] = [formulaAt(range.startContainer), formulaAt(range.endContainer)];
    if (first) range.setStartBefore(first);
    if (last) range.setEndAfter(last);
    const part = range.cloneContents();
    if (!part.querySelector(".katex")) return;
    event.clipboardData.setData("text/plain", plainText(part));
    event.preventDefault();
  });
}
