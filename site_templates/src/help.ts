// The dialog that lists the keys, with the switch that turns single-key shortcuts off.

import { table } from "./keys";
import { load, save } from "./storage";

export function singleKeys(): boolean {
  return load("keys") !== "off";
}

let dialog: HTMLDialogElement | undefined;

export function showHelp(): void {
  dialog ??= build();
  if (!dialog.open) dialog.showModal();
}

function build(): HTMLDialogElement {
  const made = document.createElement("dialog");
  made.className = "help";
  made.setAttribute("aria-labelledby", "help-title");
  const rows = table
    .map(([keys, , words]) => `<dt>${keys.map((key) => `<kbd>${key}</kbd>`).join(" ")}</dt><dd>${words}</dd>`)
    .join("");
  made.innerHTML =
    `<form method="dialog"><header><h2 id="help-title">Keys</h2><button aria-label="Close">✕</button></header></form>` +
    `<dl>${rows}</dl>` +
    `<p>A click on a line’s number goes to the next time that the line ran, in the direction of the last step.</p>` +
    `<label><input type="checkbox" id="single-keys"> Single-key shortcuts (letters and ?)</label>` +
    `<p class="quiet">With the switch off, arrows and buttons still step, and this list opens with the button above.</p>`;
  const single = made.querySelector<HTMLInputElement>("#single-keys")!;
  single.checked = singleKeys();
  single.addEventListener("change", () => save("keys", single.checked ? "on" : "off"));
  made.addEventListener("click", (event) => {
    if (event.target === made) made.close();
  });
  document.body.append(made);
  return made;
}
