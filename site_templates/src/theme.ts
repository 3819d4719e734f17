// Loaded in the head, before anything is painted: goes on to the run of the device that the reader chose, and sets on the root
// element that scripts run, which theme and which language apply, whether the state and the costs are shown, and whether elements
// are shaded. Tells if the page's own script does not come.

import { holdForFonts } from "./font_gate";
import { showLanguage } from "./language";
import { goToChosenRun } from "./run_choice";
import { load } from "./storage";
import { chosenLook, systemDark, systemLook } from "./theme_switch";

const root = document.documentElement;

function apply(): void {
  const look = chosenLook();
  root.dataset.theme = look === "auto" ? systemLook() : look;
}

root.classList.add("js");
const showText = holdForFonts(); // first: they come while the storage answers
// Beside the page of another run: the page around both has the header.
if (parent !== window) root.classList.add("embedded");
if (new URLSearchParams(location.search).has("present")) root.classList.add("presenting");
root.dataset.env = load("env") === "off" ? "off" : "on";
root.dataset.costs = load("costs") === "on" ? "on" : "off";
if (new URLSearchParams(location.search).has("embed")) {
  root.classList.add("excerpt");
  Object.assign(root.dataset, { env: "on", costs: "off" });
}
root.dataset.shades = load("shades") === "off" ? "off" : "on";
apply();
showLanguage();
if (!goToChosenRun()) showText();
systemDark.addEventListener("change", apply);
addEventListener("lectern-theme", apply);
addEventListener("storage", apply); // chosen in another window, or in the report around this page
// Without the page's own script it is a page without scripts.
addEventListener("DOMContentLoaded", () => {
  const message = document.getElementById("message");
  const { lectern } = window as unknown as { lectern?: unknown };
  if (!message || typeof lectern === "function" || root.classList.contains("still")) return;
  root.classList.replace("js", "still");
  delete root.dataset.language;
  message.textContent = "This lecture can only be read: viewer.js, of the site’s assets, could not be loaded.";
  message.hidden = false;
});
