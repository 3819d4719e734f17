// The button between light and dark. Every press changes what is seen; a choice that the system makes as well is not kept,
// so that the page follows the system again.

import { load, save } from "./storage";

type Look = "light" | "dark";
const signs = { auto: "◐", light: "○", dark: "●" };
const dark = matchMedia("(prefers-color-scheme: dark)");

function chosen(): Look | "auto" {
  const stored = load("theme");
  return stored === "light" || stored === "dark" ? stored : "auto";
}

export function initThemeSwitch(): () => void {
  const button = document.querySelector<HTMLButtonElement>('[data-action="theme"]');
  const system = (): Look => (dark.matches ? "dark" : "light");
  const label = (): void => {
    if (!button) return;
    const now = chosen();
    const words = now === "auto" ? `${system()}, as the system` : now;
    button.textContent = signs[now];
    button.setAttribute("aria-label", `Theme: ${words}`);
    button.title = `Theme: ${words} (T)`;
  };
  label();
  dark.addEventListener("change", label);
  return () => {
    const seen = chosen() === "auto" ? system() : chosen();
    const next = seen === "light" ? "dark" : "light";
    save("theme", next === system() ? "auto" : next);
    dispatchEvent(new Event("lectern-theme"));
    label();
  };
}
