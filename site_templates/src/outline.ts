// The outline as a drawer, on windows too narrow to have it beside the text.

const root = document.documentElement;
const nav = document.querySelector<HTMLElement>("nav.out");
const button = document.querySelector<HTMLButtonElement>('[data-action="outline"]');

function isOpen(): boolean {
  return root.dataset.outline === "on";
}

function close(): void {
  root.dataset.outline = "off";
  button?.setAttribute("aria-expanded", "false");
}

/** Opens the outline at the current section, or closes it; where it is always there, it only gets the focus. */
export function toggleOutline(): void {
  if (!nav) return;
  if (isOpen()) {
    close();
    return button?.focus();
  }
  root.dataset.outline = "on";
  button?.setAttribute("aria-expanded", "true");
  const link = nav.querySelector<HTMLElement>("a[aria-current]") ?? nav.querySelector<HTMLElement>("a");
  link?.focus({ preventScroll: true });
  link?.scrollIntoView({ block: "nearest" });
}

export function initOutline(): void {
  document.addEventListener("click", (event) => {
    if (!isOpen() || !(event.target instanceof Element) || event.target.closest('[data-action="outline"]')) return;
    // A link has done its work, and a click beside the drawer closes it.
    if (event.target.closest("a") || !event.target.closest("nav.out")) close();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !isOpen()) return;
    close();
    button?.focus();
  });
}
