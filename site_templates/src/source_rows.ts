// The rows that only the source as it was written shows are no part of the page: it is painted sooner without them. They stand
// in source.js, and come to their places, <template>, when they are first asked for.

import { showMessage } from "./announce";
import { loadScript } from "./element";
import { layOut } from "./paint";

declare global {
  interface Window {
    lecternSource?: (parts: readonly string[]) => void;
  }
}

/** Told to the document once the rows are there: whoever knows rows has to look again. */
export const rowsCame = "lectern-rows";

let coming: Promise<boolean> | undefined;

function places(): NodeListOf<HTMLTemplateElement> {
  return document.querySelectorAll<HTMLTemplateElement>("template:not(.packed)");
}

async function bring(): Promise<boolean> {
  if (places().length === 0) return true;
  let parts: readonly string[] = [];
  window.lecternSource = (came) => (parts = came);
  try {
    await loadScript("source.js", "");
  } catch {
    coming = undefined; // the next try may succeed
    showMessage("The source as it was written can’t be shown: source.js, beside this page, could not be loaded.");
    return false;
  }
  places().forEach((place, number) => (place.outerHTML = parts[number] ?? ""));
  layOut();
  document.dispatchEvent(new Event(rowsCame));
  return true;
}

/** Whether they are there; says so to the reader if they cannot be. */
export function bringSourceRows(): Promise<boolean> {
  return (coming ??= bring());
}
