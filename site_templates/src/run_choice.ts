// Which run a reader wants of lectures that were recorded on several devices: the one chosen last. Runs in the head of a page,
// whose data-runs names the profiles of the runs beneath it.

import { load, save } from "./storage";

export function chooseRun(profile: string): void {
  save("profile", profile);
}

/** Goes on to the chosen run's page, from a lecture's own; not from a link to a place on it, nor back in the history. Returns whether it goes. */
export function goToChosenRun(): boolean {
  const chosen = load("profile");
  const beneath = document.documentElement.dataset.runs?.split(" ") ?? [];
  const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  if (!chosen || !beneath.includes(chosen) || location.hash !== "" || navigation?.type !== "navigate" || parent !== window) return false;
  location.replace(`${encodeURIComponent(chosen)}/index.html${location.search}`);
  return true;
}
