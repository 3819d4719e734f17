// Announcements for screen readers, and messages for everyone.

import { setHidden } from "./element";

let live: HTMLElement | null = null;
let timer = 0;

/** Announces where the run stands; while a key is held, only the last step. */
export function announce(words: () => string): void {
  clearTimeout(timer);
  timer = window.setTimeout(() => {
    live ??= document.getElementById("live");
    if (live) live.textContent = words();
  }, 300);
}

const box = document.getElementById("message");
box?.querySelector("button")?.addEventListener("click", hideMessage);

/** A message on the page that stays until it is closed or the next one comes. */
export function showMessage(text: string): void {
  if (!box) return;
  box.querySelector("p")!.textContent = text;
  box.hidden = false;
}

export function hideMessage(): void {
  if (box) setHidden(box, true);
}
