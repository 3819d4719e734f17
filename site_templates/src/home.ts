import { Find } from "./find";
import { SiteSearch } from "./site_search";
import { initTools } from "./theme_switch";

initTools();
const find = new Find("Search all lectures", new SiteSearch());
document.querySelector('[data-action="find"]')?.addEventListener("click", () => find.open());
addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
  event.preventDefault();
  if (!document.querySelector("dialog[open]")) find.open();
});
