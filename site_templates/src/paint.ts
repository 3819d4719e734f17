// The text is painted before the script does anything; until then only what is near the window is laid out (layout.css).

const root = document.documentElement;

/** Lays the whole page out, so that every place in it is where it will stay. */
export function layOut(): void {
  root.classList.add("laid");
}

/** Calls `run` once the text has been painted; at once in a window that nobody sees, which paints nothing. */
export function afterPaint(run: () => void): void {
  if (document.hidden) return run();
  requestAnimationFrame(() => {
    if (root.classList.contains("wait")) afterPaint(run);
    else setTimeout(run);
  });
}
