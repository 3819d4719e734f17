// The choice among the languages of a lecture (language.ts).

import { isInAnotherLanguage } from "./language";
import { keepingPlace } from "./scroll";
import { save } from "./storage";

const root = document.documentElement;

/** The outline has the headings that are seen. */
function showHeadings(): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>("nav.out a[href^='#']")) {
    const heading = document.getElementById(decodeURIComponent(link.hash.slice(1)));
    link.hidden = !!heading && isInAnotherLanguage(heading);
  }
}

/** Tells the page ("lectern-language") when the reader chose another one. */
export function initLanguageChoice(): void {
  const choice = document.querySelector<HTMLSelectElement>("#language");
  if (!choice || root.dataset.language === undefined) return choice?.remove();
  for (const option of choice.options) option.textContent = nameOf(option.value);
  choice.value = root.dataset.language;
  showHeadings();
  choice.addEventListener("change", () => {
    keepingPlace(() => (root.dataset.language = choice.value));
    save("language", choice.value);
    showHeadings();
    dispatchEvent(new Event("lectern-language"));
  });
}

/** In the language itself. */
function nameOf(tag: string): string {
  try {
    return new Intl.DisplayNames([tag], { type: "language" }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}
