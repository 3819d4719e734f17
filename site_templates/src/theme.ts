// Loaded in the head, before anything is painted: says that scripts run, which theme holds, whether the state
// is shown, whether elements are shaded.

import { waitForFonts } from "./font_gate";
import { load } from "./storage";

const root = document.documentElement;
const dark = matchMedia("(prefers-color-scheme: dark)");

function apply(): void {
  const chosen = load("theme");
  root.dataset.theme = chosen === "light" || chosen === "dark" ? chosen : dark.matches ? "dark" : "light";
}

root.classList.add("js");
// In a report, beside the page of another run: the report has the header.
if (parent !== window) root.classList.add("embedded");
root.dataset.env = load("env") === "off" ? "off" : "on";
root.dataset.shades = load("shades") === "off" ? "off" : "on";
apply();
waitForFonts();
dark.addEventListener("change", apply);
addEventListener("lectern-theme", apply);
addEventListener("storage", apply); // chosen in another window, or in the report around this page
