// The button that goes through light, dark and as the system has it.

import { load, save } from "./storage";

const order = ["auto", "light", "dark"] as const;
type Choice = (typeof order)[number];
const words: Record<Choice, string> = { auto: "as the system", light: "light", dark: "dark" };
const signs: Record<Choice, string> = { auto: "◐", light: "○", dark: "●" };

function chosen(): Choice {
  const stored = load("theme");
  return stored === "light" || stored === "dark" ? stored : "auto";
}

export function initThemeSwitch(): () => void {
  const button = document.querySelector<HTMLButtonElement>('[data-action="theme"]');
  const label = (): void => {
    if (!button) return;
    const now = chosen();
    button.textContent = signs[now];
    button.setAttribute("aria-label", `Theme: ${words[now]}`);
    button.title = `Theme: ${words[now]} (T)`;
  };
  label();
  return () => {
    save("theme", order[(order.indexOf(chosen()) + 1) % order.length]!);
    dispatchEvent(new Event("lectern-theme"));
    label();
  };
}
