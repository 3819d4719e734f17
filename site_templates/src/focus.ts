// The focus within the state, a list or a dialog: the page itself stays where it is. (Left to itself, the browser would scroll
// the text to bring into view what lies over it.)

/** Scrolls one element alone so far that another, inside, is seen. */
export function revealIn(scroller: Element, element: Element): void {
  const { top, bottom } = scroller.getBoundingClientRect();
  const box = element.getBoundingClientRect();
  if (box.top < top || box.bottom > bottom) scroller.scrollTop += box.top - top - Math.max(0, bottom - top - box.height) / 2;
}

export function focusOn(element: HTMLElement | null | undefined): void {
  if (!element) return;
  element.focus({ preventScroll: true });
  for (let outer = element.parentElement; outer && outer !== document.body; outer = outer.parentElement) {
    if (outer.scrollHeight > outer.clientHeight && getComputedStyle(outer).overflowY === "auto") revealIn(outer, element);
  }
}
