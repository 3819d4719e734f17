// The rows that only the source as it was written shows are no part of the page: it is painted sooner without them. They stand
// in source.js, and come to their places, <template>, when they are first asked for.

import { loadBeside } from "./beside_page";
import { layOut } from "./paint";

/** Told to the document once the rows are there: whoever knows rows has to look again. */
export const rowsCame = "lectern-rows";

let coming: Promise<boolean> | undefined;

async function bring(): Promise<boolean> {
  const places = document.querySelectorAll<HTMLTemplateElement>("template:not(.packed)");
  if (places.length === 0) return true;
  const isWhole = (parts: readonly string[]): boolean => parts.length === places.length;
  const parts = await loadBeside("source.js", "lecternSource", "The source as it was written", isWhole);
  if (!parts) {
    coming = undefined; // the next try may succeed
    return false;
  }
  places.forEach((place, number) => (place.outerHTML = parts[number]!));
  layOut();
  document.dispatchEvent(new Event(rowsCame));
  return true;
}

/** Whether they are there; says so to the reader if they cannot be. */
export function bringSourceRows(): Promise<boolean> {
  return (coming ??= bring());
}
