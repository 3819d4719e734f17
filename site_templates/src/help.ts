// The dialog that lists the keys, with the switch that turns single-key shortcuts off.

import { escapeHtml, make } from "./element";
import { table } from "./keys";
import { packedText } from "./one_file";
import { load, save } from "./storage";

export function singleKeys(): boolean {
  return load("keys") !== "off";
}

/** Those of what is in this file, which no other file beside it tells. */
function licences(): string {
  const text = packedText("licenses.txt");
  return text === undefined ? "" : `<details><summary>Licences of what this file contains</summary><pre>${escapeHtml(text)}</pre></details>`;
}

let dialog: HTMLDialogElement | undefined;

export function showHelp(): void {
  dialog ??= build();
  if (!dialog.open) dialog.showModal();
}

function build(): HTMLDialogElement {
  const rows = table
    .map(([keys, , words]) => `<dt>${keys.map((key) => `<kbd>${escapeHtml(key)}</kbd>`).join(" ")}</dt><dd>${words}</dd>`)
    .join("");
  const innerHTML =
    `<form method="dialog"><header><h2 id="help-title">Keys</h2><button aria-label="Close">✕</button></header></form>` +
    `<dl>${rows}</dl>` +
    `<p>A click on a line’s number goes to the next time that the line ran, in the direction of the last step.</p>` +
    `<p>On a touch screen, a swipe across the text to the left steps forward, one to the right back.</p>` +
    `<p>A click left of the number sets a breakpoint there, <kbd>b</kbd> one at the number that has the focus.</p>` +
    `<p>The name of a variable opens its history. <kbd>v</kbd> and <kbd>w</kbd> are about the variable that has the focus, else ` +
    `the one that the step changed, else the first.</p>` +
    `<p>A guess may have other spaces and brackets, <b>1</b> for <b>1.0</b>, a number rounded to three digits or more, and of a ` +
    `tensor its shape alone: <b>2 x 3</b>.</p>` +
    `<p>While presenting, <kbd>Page Down</kbd> and <kbd>Page Up</kbd>, the keys of clickers, step on and back, with Shift by ` +
    `sections, and <kbd>Esc</kbd> leaves.</p>` +
    `<p>Beside a number, <b>○</b> marks a line that never ran, <b>·</b> one that ran without being recorded.</p>` +
    `<label><input type="checkbox" id="single-keys"> Single-key shortcuts (letters and ?)</label>` +
    licences() +
    `<p class="quiet">With the switch off, arrows and buttons still step, and this list opens with the button above.</p>`;
  const box = make("dialog", { className: "help", innerHTML });
  box.setAttribute("aria-labelledby", "help-title");
  const single = box.querySelector<HTMLInputElement>("#single-keys")!;
  single.checked = singleKeys();
  single.addEventListener("change", () => save("keys", single.checked ? "on" : "off"));
  box.addEventListener("click", (event) => {
    if (event.target === box) box.close();
  });
  document.body.append(box);
  return box;
}
