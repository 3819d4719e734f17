// Copying a variable's value from the state, by a menu beside its name, and the link to a step.

import { showMessage } from "./announce";
import { copyText } from "./clipboard";
import { make } from "./element";
import { codeOf, type Language } from "./value_code";
import { readValue } from "./value_data";

const languages: Language[] = ["NumPy", "C++", "JSON"];

/** A menu for the head of a variable. */
export function copyMenu(name: string): HTMLDetailsElement {
  const summary = make("summary", { textContent: "Copy" });
  summary.setAttribute("aria-label", `Copy ${name}`);
  const buttons = languages.map((language) => make("button", { type: "button", textContent: language }));
  return make("details", { className: "copy" }, summary, make("div", {}, ...buttons));
}

async function copy(button: HTMLElement): Promise<void> {
  const variable = button.closest(".var")!;
  const name = variable.querySelector(".b")!.textContent ?? "";
  const language = button.textContent as Language;
  const data = readValue(variable.querySelector(".value")!.childNodes, variable.querySelector("header .ty")?.textContent ?? "");
  close(button.closest("details")!, true);
  if (await copyText(name, () => codeOf(data, language))) showMessage(`Copied ${name} as ${language}.`);
}

/** `hash` leads to a step. */
export async function copyLink(hash: string, step: number): Promise<void> {
  if (await copyText("The link", () => new URL(hash, location.href).href)) showMessage(`Copied the link to step ${(step + 1).toLocaleString("en")}.`);
}

function close(menu: HTMLDetailsElement, focus: boolean): void {
  menu.open = false;
  if (focus) menu.querySelector("summary")!.focus();
}

export function initCopying(panel: HTMLElement): void {
  panel.addEventListener("click", (event) => {
    const button = (event.target as Element).closest<HTMLElement>(".copy button");
    if (button) void copy(button);
  });
  document.addEventListener("click", (event) => {
    for (const menu of panel.querySelectorAll<HTMLDetailsElement>("details.copy[open]")) {
      if (!menu.contains(event.target as Node)) close(menu, false);
    }
  });
  panel.addEventListener("keydown", (event) => {
    const menu = (event.target as Element).closest<HTMLDetailsElement>("details.copy[open]");
    if (!menu || event.key !== "Escape") return;
    event.preventDefault();
    close(menu, true);
  });
}
