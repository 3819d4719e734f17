// What a lecture says in several languages is shown in the one that the reader chose, in any lecture; else in one that the
// browser is set to, else in the lecture's own. A text that is not there in it is shown in all that it has.

import { load } from "./storage";

const root = document.documentElement;

function offered(): string[] {
  return (root.dataset.languages ?? "").split(" ").filter(Boolean);
}

function preferred(languages: readonly string[]): string | undefined {
  const primary = (tag: string): string => tag.toLowerCase().split("-")[0]!;
  for (const wanted of [load("language") ?? "", ...navigator.languages, root.lang]) {
    const same = languages.find((tag) => tag.toLowerCase() === wanted.toLowerCase()) ?? languages.find((tag) => primary(tag) === primary(wanted));
    if (same) return same;
  }
  return languages[0];
}

/** Whether it is one of several alternatives, in another language than the reader's. */
export function isInAnotherLanguage(part: Element): boolean {
  const alternative = part.closest(".tongue");
  return alternative !== null && getComputedStyle(alternative).display === "none";
}

/** Before anything is painted. */
export function showLanguage(): void {
  const languages = offered();
  if (languages.length === 0 || !("adoptedStyleSheets" in document)) return;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(languages.map((tag) => `[data-language="${tag}"] .tongues:has(> [lang="${tag}"]) > .tongue:not([lang="${tag}"]) { display: none; }`).join("\n"));
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  root.dataset.language = preferred(languages);
}
