// Cards of references and terms. CSS shows them on hover and focus; this keeps them inside the window and closes them with
// Escape. On a touch screen the first tap opens a card, the next one follows its link.

import { lowerEdge, upperEdge } from "./scroll";

const margin = 8;
/** Between a link and its card. */
const gap = 6;

function place(link: HTMLElement, card: HTMLElement): void {
  for (const name of ["--shift", "--rise"]) card.style.removeProperty(name);
  card.classList.remove("above", "closed");
  const box = card.getBoundingClientRect();
  // The text ends where the state begins.
  const width = link.closest("main")?.getBoundingClientRect().right ?? document.documentElement.clientWidth;
  const shift = box.right > width - margin ? width - margin - box.right : box.left < margin ? margin - box.left : 0;
  if (shift !== 0) card.style.setProperty("--shift", `${shift}px`);
  const edge = link.getBoundingClientRect().top - gap;
  if (box.bottom <= lowerEdge() - margin || edge - box.height < upperEdge() + margin) return;
  card.classList.add("above");
  card.style.setProperty("--rise", `${edge - box.bottom}px`);
}

/** Of a term, with the definition that stands among the page's terms. */
function termCard(link: HTMLElement): HTMLElement | undefined {
  const definition = document.getElementById(link.getAttribute("aria-describedby") ?? "");
  if (!definition || !link.parentElement!.classList.contains("term")) return undefined;
  const part = (kind: string, ...content: Node[]): HTMLElement => {
    const span = document.createElement("span");
    span.className = kind;
    span.append(...content);
    return span;
  };
  const title = document.createTextNode(definition.previousElementSibling!.textContent!);
  const card = part("card", part("card-title", title), part("card-definition", ...[...definition.childNodes].map((node) => node.cloneNode(true))));
  card.setAttribute("role", "tooltip");
  link.after(card);
  return card;
}

/** The card of the reference or term that an event is about. */
function cardOf(target: EventTarget | null): [HTMLElement, HTMLElement] | undefined {
  const link = target instanceof Element ? target.closest<HTMLElement>(".ref") : null;
  if (!link) return undefined;
  const next = link.nextElementSibling;
  const card = next instanceof HTMLElement && next.classList.contains("card") ? next : termCard(link);
  return card && [link, card];
}

function closeTapped(except?: HTMLElement): void {
  for (const link of document.querySelectorAll(".ref.tapped")) if (link !== except) link.classList.remove("tapped");
}

/** The first tap on a link opens its card instead. */
function initTaps(): void {
  let touched = false;
  document.addEventListener("pointerdown", (event) => (touched = event.pointerType === "touch"), true);
  document.addEventListener("click", (event) => {
    const found = touched ? cardOf(event.target) : undefined;
    closeTapped(found?.[0]);
    if (!found || found[0].classList.contains("tapped")) return;
    event.preventDefault();
    found[0].classList.add("tapped");
    place(...found);
  });
}

export function initCards(): void {
  initTaps();
  const open = (event: Event): void => {
    const found = cardOf(event.target);
    if (found) place(...found);
  };
  document.addEventListener("mouseover", open);
  document.addEventListener("focusin", open);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const card of document.querySelectorAll(".ref:is(:hover, :focus, .tapped) + .card, .card:hover")) {
      card.classList.add("closed");
    }
  });
}
