// The text is painted before the script does anything. Until then only what is near the window is laid out; then all of it is,
// once, so that every place in it is where it will stay; and from then on what is far from the window keeps the size that it
// had and is neither styled nor painted (layout.css).

const root = document.documentElement;
/** Blocks that are far from the window. */
const skipped = new WeakSet<Element>();
let frame = 0;
let width = innerWidth;

/** In the frame after this one, when the browser has noted the sizes of this one. */
function afterFrame(run: () => void): number {
  return requestAnimationFrame(() => (frame = requestAnimationFrame(run)));
}

/** Lays the whole page out. */
export function layOut(): void {
  root.classList.add("laid");
  root.classList.remove("kept");
  cancelAnimationFrame(frame);
  frame = afterFrame(() => root.classList.add("kept"));
}

/** Something in the text will have another size: if it is far from the window, it is laid out again. */
export function renew(element: Element): void {
  const block = element.closest(".block");
  if (!block || !skipped.has(block)) return;
  block.classList.add("fresh");
  requestAnimationFrame(() => requestAnimationFrame(() => block.classList.remove("fresh")));
}

/** Calls `run` once the text has been painted and all fonts are there; at once in a window that nobody sees, which paints nothing. */
export function afterPaint(run: () => void): void {
  if (document.hidden) {
    root.classList.remove("wait", "opening");
    return run();
  }
  requestAnimationFrame(() => {
    if (root.classList.contains("opening")) afterPaint(run);
    else setTimeout(run);
  });
}

document.addEventListener("contentvisibilityautostatechange", (event) => {
  const { target } = event;
  if (!(target instanceof Element)) return;
  if ((event as Event & { skipped: boolean }).skipped) skipped.add(target);
  else skipped.delete(target);
});

addEventListener("resize", () => {
  if (innerWidth === width || !root.classList.contains("laid")) return;
  width = innerWidth;
  layOut();
});
