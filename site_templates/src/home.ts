// The home page needs its theme switch only.

import { initThemeSwitch } from "./theme_switch";

const next = initThemeSwitch();
document.querySelector<HTMLElement>(".tools")?.removeAttribute("hidden");
document.querySelector('[data-action="theme"]')?.addEventListener("click", next);
