// The speaker's window: notes, the next section, the time. Shows what the page that opened it tells, and steps it.

import { isOfThisSite, tell } from "./same_site";
import type { SpeakerAction, SpeakerRequest, SpeakerState } from "./speaker_messages";

const page = opener as Window | null;
const find = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;
/** Milliseconds without a word from the page after which it is said to be gone. */
const patience = 5000;
let heard = Date.now();

// --- the page -------------------------------------------------------------------------------------------------------

function show(state: SpeakerState): void {
  document.title = `Speaker: ${state.lecture}`;
  find("lecture").textContent = state.lecture;
  find("section").textContent = state.slide.title;
  find("place").textContent =
    `section ${state.slide.number} of ${state.slide.count}, step ${state.step.number.toLocaleString("en")} of ${state.step.count.toLocaleString("en")}`;
  setHtml(find("notes"), state.notes.map((note) => `<div class="slot">${note}</div>`).join("") || `<p class="none">${state.none}</p>`);
  find("next-title").textContent = state.next?.title ?? "This is the last section.";
  setHtml(find("next-text"), state.next?.html ?? "");
}

/** What the reader selected or scrolled to stays while nothing changes. */
const written = new Map<HTMLElement, string>();
function setHtml(element: HTMLElement, html: string): void {
  if (written.get(element) === html) return;
  written.set(element, html);
  element.innerHTML = html; // made by the page, of what it holds itself
  element.scrollTop = 0;
}

function problem(text: string): void {
  const box = find("problem");
  if (box.textContent !== text) box.textContent = text;
  box.hidden = text === "";
}

function ask(action: SpeakerAction): void {
  if (page && !page.closed) tell<SpeakerRequest>(page, { lectern: "act", action });
}

function greet(): void {
  if (!page) return problem("This is the speaker’s window of a lecture. Open it from the lecture’s page, with the key S.");
  if (page.closed) return problem("The lecture’s page was closed.");
  if (Date.now() - heard > patience) problem("The lecture’s page does not answer. If it was loaded anew, press S there.");
  tell<SpeakerRequest>(page, { lectern: "hello" });
}

addEventListener("message", (event) => {
  if (!page || event.source !== page || !isOfThisSite(event)) return;
  const state = event.data as SpeakerState | null;
  if (state?.lectern !== "state") return;
  heard = Date.now();
  problem("");
  show(state);
});

// --- the time -------------------------------------------------------------------------------------------------------

const key = "lectern.speaking-since";

/** Kept while the window is open, also when the page opens it anew. */
function begun(reset: boolean): number {
  try {
    const kept = reset ? 0 : Number(sessionStorage.getItem(key));
    if (kept > 0) return kept;
    sessionStorage.setItem(key, String(Date.now()));
  } catch {
    // Then it begins with this document.
  }
  return Date.now();
}

let since = begun(false);

function tick(): void {
  const now = new Date();
  const seconds = Math.max(0, Math.floor((now.getTime() - since) / 1000));
  const two = (number: number): string => String(number).padStart(2, "0");
  find("elapsed").textContent = `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  find("clock").textContent = `${two(now.getHours())}:${two(now.getMinutes())}`;
}

// --- the speaker ----------------------------------------------------------------------------------------------------

const keys: Record<string, SpeakerAction> = {
  ArrowRight: "step", ArrowLeft: "back", PageDown: "step", PageUp: "back", "]": "section", "[": "section-back",
};
const withShift: Record<string, SpeakerAction> = { PageDown: "section", PageUp: "section-back" };

addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return;
  const action = (event.shiftKey ? withShift[event.key] : undefined) ?? keys[event.key];
  if (!action) return;
  event.preventDefault();
  ask(action);
});
for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-action]")) {
  button.addEventListener("click", () => ask(button.dataset.action as SpeakerAction));
}
find("reset").addEventListener("click", () => {
  since = begun(true);
  tick();
});

document.documentElement.classList.add("ready");
greet();
tick();
setInterval(greet, 2000);
setInterval(tick, 500);
