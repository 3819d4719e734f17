// What the blocks of the text offer: copying, enlarging. The buttons take no room, so that nothing moves when they come.

import { addCopyButtons, initCopyButtons } from "./copy_blocks";
import { copyFormulas } from "./clipboard";
import { addEnlargers, initLightbox } from "./lightbox";

/** Gives a part of the page that is new its buttons. */
export function equip(part: ParentNode): void {
  addCopyButtons(part);
  addEnlargers(part);
}

export function initBlocks(): void {
  initCopyButtons();
  copyFormulas();
  initLightbox();
  document.addEventListener("lectern-part", ({ target }) => equip(target as Element));
  const begin = (): void => equip(document);
  if ("requestIdleCallback" in window) requestIdleCallback(begin, { timeout: 2000 });
  else setTimeout(begin, 500);
}
