// Touch: a swipe across the text steps, to the left forward, to the right back. Scrolling, zooming, selecting and what scrolls
// sideways by itself stay the browser's; nothing is prevented here.

/** Pixels and milliseconds. */
const least = 56;
const longest = 600;
/** At the edges of the screen swipes belong to the system. */
const edge = 24;

interface Begun {
  x: number;
  y: number;
  time: number;
}

function scrollsSideways(target: Element): boolean {
  for (let at: Element | null = target; at && at.id !== "lecture"; at = at.parentElement) {
    if (at.scrollWidth > at.clientWidth && /auto|scroll/.test(getComputedStyle(at).overflowX)) return true;
  }
  return false;
}

const zoomed = (): boolean => (visualViewport?.scale ?? 1) > 1.01;
const selecting = (): boolean => getSelection()?.isCollapsed === false;

export function onSwipe(area: HTMLElement, step: (direction: 1 | -1) => void): void {
  let begun: Begun | undefined;
  area.addEventListener("touchstart", (event) => {
    const [touch] = event.touches;
    const target = event.target as Element;
    begun = undefined;
    if (!touch || event.touches.length > 1 || touch.clientX < edge || touch.clientX > innerWidth - edge) return;
    if (zoomed() || selecting() || target.closest("input, select, textarea, video, svg") || scrollsSideways(target)) return;
    begun = { x: touch.clientX, y: touch.clientY, time: event.timeStamp };
  }, { passive: true });
  area.addEventListener("touchcancel", () => (begun = undefined), { passive: true });
  area.addEventListener("touchend", (event) => {
    const [touch] = event.changedTouches;
    if (!begun || !touch || event.touches.length > 0) return;
    const [x, y, time] = [touch.clientX - begun.x, touch.clientY - begun.y, event.timeStamp - begun.time];
    begun = undefined;
    if (time > longest || Math.abs(x) < least || Math.abs(y) > Math.abs(x) / 2 || selecting()) return;
    step(x < 0 ? 1 : -1);
  }, { passive: true });
}
