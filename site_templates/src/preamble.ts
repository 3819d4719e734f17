// The folded lines at the top of a source: opened by links into them, and while the source is shown as it was written.

const folds = document.querySelectorAll<HTMLDetailsElement>(".preamble");
let opened: HTMLDetailsElement[] = [];

/** Whether the fold that holds an element, if any does, is open. */
export function unfolded(element: Element): boolean {
  return element.closest(".preamble:not([open])") === null;
}

/** In raw view nothing is folded; afterwards folds are as the reader left them. */
export function unfoldAll(on: boolean): void {
  if (on) opened = [...folds].filter((fold) => !fold.open);
  for (const fold of opened) fold.open = on;
}

/** Shows the line that the address names, for browsers that do not open it themselves. */
export function unfoldTarget(): void {
  const line = /^#s\d+-\d+$/.test(location.hash) ? document.getElementById(location.hash.slice(1)) : null;
  const fold = line?.closest<HTMLDetailsElement>(".preamble:not([open])");
  if (!fold) return;
  fold.open = true;
  line!.scrollIntoView();
}
