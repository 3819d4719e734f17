// The switch between light and dark. Every press changes what is seen; a choice that agrees with the system is not kept, so
// that the page follows the system again.

import { load, save } from "./storage";

type Look = "light" | "dark";
const signs = { auto: "◐", light: "○", dark: "●" };
export const systemDark = matchMedia("(prefers-color-scheme: dark)");

export function systemLook(): Look {
  return systemDark.matches ? "dark" : "light";
}

export function chosenLook(): Look | "auto" {
  const stored = load("theme");
  return stored === "light" || stored === "dark" ? stored : "auto";
}

export function initThemeSwitch(): () => void {
  const button = document.querySelector<HTMLButtonElement>('[data-action="theme"]');
  const label = (): void => {
    if (!button) return;
    const now = chosenLook();
    const words = now === "auto" ? `${systemLook()}, as the system` : now;
    button.textContent = signs[now];
    button.setAttribute("aria-label", `Theme: ${words}`);
    button.title = `Theme: ${words} (t)`;
  };
  label();
  systemDark.addEventListener("change", label);
  return () => {
    const next = document.documentElement.dataset.theme === "light" ? "dark" : "light";
    save("theme", next === systemLook() ? "auto" : next);
    dispatchEvent(new Event("lectern-theme"));
    label();
  };
}

/** On a page where nothing else happens. */
export function initTools(): void {
  document.querySelector('[data-action="theme"]')?.addEventListener("click", initThemeSwitch());
  document.querySelector<HTMLElement>(".tools")?.removeAttribute("hidden");
}
