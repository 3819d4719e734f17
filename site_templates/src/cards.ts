// Cards of references. CSS shows them on hover and focus; this keeps them inside the window and closes them with Escape.

const margin = 8;

function place(link: HTMLElement, card: HTMLElement): void {
  card.style.removeProperty("--shift");
  card.classList.remove("above", "closed");
  const box = card.getBoundingClientRect();
  // The text ends where the state begins.
  const width = link.closest("main")?.getBoundingClientRect().right ?? document.documentElement.clientWidth;
  const shift = box.right > width - margin ? width - margin - box.right : box.left < margin ? margin - box.left : 0;
  if (shift !== 0) card.style.setProperty("--shift", `${shift}px`);
  const bar = document.querySelector(".bar")?.getBoundingClientRect().top ?? innerHeight;
  const room = link.getBoundingClientRect().top - 60;
  card.classList.toggle("above", box.bottom > bar - margin && room > box.height);
}

/** The card of the reference that an event is about. */
function cardOf(target: EventTarget | null): [HTMLElement, HTMLElement] | undefined {
  const link = target instanceof Element ? target.closest<HTMLElement>(".ref") : null;
  const card = link?.nextElementSibling;
  return link && card instanceof HTMLElement && card.classList.contains("card") ? [link, card] : undefined;
}

export function initCards(): void {
  const open = (event: Event): void => {
    const found = cardOf(event.target);
    if (found) place(...found);
  };
  document.addEventListener("mouseover", open);
  document.addEventListener("focusin", open);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const card of document.querySelectorAll(".ref:is(:hover, :focus) + .card, .card:hover")) {
      card.classList.add("closed");
    }
  });
}
