import { inOneFile, runPacked } from "./one_file";

/** A new element with these properties and children. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]>,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

/** A text as it stands in HTML, in values of attributes too. */
export function escapeHtml(text: string): string {
  return text.replace(/[&"<>]/g, (char) => `&#${char.charCodeAt(0)};`);
}

/** Shows a text, or an element at all, if it does not already: to the browser, whatever is set has changed. */
export function setText(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

export function setHidden(element: HTMLElement, hidden: boolean): void {
  if (element.hidden !== hidden) element.hidden = hidden;
}

/** Loads a classic script, as file:// allows; rejects with `missing` where there is none. */
export function loadScript(src: string, missing: string): Promise<void> {
  if (inOneFile()) return runPacked(src) ? Promise.resolve() : Promise.reject(new Error(missing));
  return new Promise((resolve, reject) => {
    const script = make("script", { src, onload: () => (script.remove(), resolve()), onerror: () => (script.remove(), reject(new Error(missing))) });
    document.head.append(script);
  });
}
