// Folds: what the run never entered, by its first line. Opened by links into them. And the parts that the page is made of,
// which stand in the order of the run, and in the order of their files while the source is shown as it was written.

const folds = document.querySelectorAll<HTMLDetailsElement>(".fold");
/** Where each part stands, and the first section of its file. */
const parts = [...document.querySelectorAll<HTMLElement>(".part")].map((part) => {
  const section = part.parentElement!;
  const file = document.querySelector<HTMLElement>(`.source[data-source="${section.dataset.source!}"]`)!;
  return { part, section, file };
});
let opened: HTMLDetailsElement[] = [];

/** Whether the fold that holds an element, if any does, is open. */
export function unfolded(element: Element): boolean {
  return element.closest(".fold:not([open])") === null;
}

/** In raw view nothing is folded and files are whole; afterwards all is as the reader left it. */
export function showFiles(on: boolean): void {
  if (on) opened = [...folds].filter((fold) => !fold.open);
  for (const fold of opened) fold.open = on;
  const order = on ? [...parts].sort((a, b) => Number(a.part.dataset.line) - Number(b.part.dataset.line)) : parts;
  for (const { part, section, file } of order) (on ? file : section).append(part);
  for (const { section, file } of parts) section.hidden = on && section !== file;
}

/** Shows the line that the address names, for browsers that do not open it themselves. */
export function unfoldTarget(): void {
  const line = /^#s\d+-\d+$/.test(location.hash) ? document.getElementById(location.hash.slice(1)) : null;
  const fold = line?.closest<HTMLDetailsElement>(".fold:not([open])");
  if (!fold) return;
  fold.open = true;
  line!.scrollIntoView();
}
