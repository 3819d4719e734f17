// The flame graph with the keyboard: one stop of the Tab key, arrows to callers, calls and neighbours. What a frame is
// stands under the graph while it has the focus or the pointer.

import { make } from "./element";

export function initFlame(): void {
  const flame = document.querySelector<HTMLElement>(".flame");
  if (!flame) return;
  const frames = [...flame.querySelectorAll<HTMLElement>("a.frame")];
  if (frames.length === 0) return;
  for (const frame of frames) frame.tabIndex = -1;
  frames[0]!.tabIndex = 0;
  const told = make("p", { className: "frame-told" });
  told.setAttribute("aria-hidden", "true"); // the frame's own text
  flame.after(told);
  const tell = (event: Event): void => {
    const frame = (event.target as Element).closest<HTMLElement>(".frame");
    if (frame) told.textContent = frame.title;
  };
  flame.addEventListener("pointerover", tell);
  flame.addEventListener("focusin", (event) => {
    tell(event);
    for (const frame of frames) frame.tabIndex = frame === event.target ? 0 : -1;
  });
  flame.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    const next = neighbour((event.target as Element).closest("li"), event.key);
    if (next === undefined) return;
    event.preventDefault();
    next?.focus();
  });
}

/** The frame that a key leads to; null: there is none, undefined: the key leads nowhere. */
function neighbour(item: Element | null, key: string): HTMLElement | null | undefined {
  const within = (element: Element | null | undefined): HTMLElement | null =>
    (element?.querySelector<HTMLElement>(":scope > a.frame") ?? element?.querySelector<HTMLElement>("a.frame")) ?? null;
  const beside = (to: "previousElementSibling" | "nextElementSibling"): HTMLElement | null => {
    // Frames without FLOPs are not there while FLOPs give the width.
    for (let at = item?.[to]; at; at = at[to]) if (at.getClientRects().length > 0) return within(at);
    return null;
  };
  switch (key) {
    case "ArrowDown": return within(item?.querySelector("ol"));
    case "ArrowUp": return within(item?.parentElement?.closest("li"));
    case "ArrowLeft": return beside("previousElementSibling");
    case "ArrowRight": return beside("nextElementSibling");
    default: return undefined;
  }
}
