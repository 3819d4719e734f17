// The code that shows a range of steps in another page: an iframe with the address of an excerpt (excerpt.ts), and nothing else.

import { linkTo } from "./address";
import { showMessage } from "./announce";
import { copyText } from "./clipboard";
import { escapeHtml } from "./element";
import type { Model } from "./model";
import type { Rows } from "./rows";
import type { Sections } from "./sections";

/** Pixels: a screen of a phone held across. */
const height = 480;

interface Wanted {
  first: number;
  last: number;
  what: string;
}

/** The section, in the order of the run, that a step is in. */
function sectionAt(model: Model, sections: Sections, step: number): Wanted {
  const starts = sections.starts(model).sort((a, b) => a.step - b.step);
  const at = starts.filter((start) => start.step <= step).at(-1);
  const next = starts.find((start) => start.step > step);
  return { first: at?.step ?? 0, last: (next?.step ?? model.count) - 1, what: at?.title ?? "" };
}

/** Where the page is on the web, as far as is known; else its place in the site. */
function pageAddress(): string {
  const web = document.querySelector<HTMLLinkElement>('link[rel="canonical"]')?.href;
  if (web !== undefined) return web;
  if (location.protocol !== "file:") return location.origin + location.pathname;
  const names = location.pathname.split("/");
  return names.slice(names.at(-1) === "index.html" ? -2 : -1).join("/");
}

function embedCode(model: Model, rows: Rows, { first, last, what }: Wanted): string {
  const [from, to] = [first, last].map((step) => linkTo(model, step).slice("#step=".length).replaceAll("+", "%2B"));
  // Without script the page is shown from there.
  const anchor = (rows.visible(model.site(first)) ?? rows.of(model.site(first)).at(-1))?.id ?? "";
  const address = `${pageAddress()}?embed=${from}..${to}${anchor === "" ? "" : `#${anchor}`}`;
  const lecture = document.querySelector("h1")?.textContent ?? "";
  const title = what === "" || what === lecture ? lecture : `${lecture}: ${what}`;
  return `<iframe src="${escapeHtml(address)}" title="${escapeHtml(title)}" loading="lazy" width="100%" height="${height}" style="border: 0"></iframe>`;
}

/** Copies the code for the steps from the marked one to this one or, where none is marked, for the section that this one is in. */
export async function copyEmbedCode(model: Model, rows: Rows, sections: Sections, step: number, marked: number): Promise<void> {
  const wanted = marked < 0 ? sectionAt(model, sections, step) : { first: Math.min(step, marked), last: Math.max(step, marked), what: "" };
  const steps = `steps ${(wanted.first + 1).toLocaleString("en")} to ${(wanted.last + 1).toLocaleString("en")}`;
  if (await copyText("The code", () => embedCode(model, rows, wanted)))
    showMessage(`Copied the code that shows ${steps} in another page${marked < 0 ? ": this section. For other steps, mark the first one" : ""}.`);
}
