// Finding by typing: a dialog over the page with a field and what fits, the best first (Ctrl K).

import { make } from "./element";
import { revealIn } from "./focus";
import { Ranking, type Entry } from "./find_rank";
import type { SiteSearch } from "./site_search";

const most = 40;
/** Of them, kept for the other lectures. */
const mostElsewhere = 12;
/** A long text is shown from a little before what was found in it. */
const before = 24;

export class Find {
  private readonly field = make("input", { type: "text", autocomplete: "off", spellcheck: false });
  private readonly list = make("ul", { id: "found" });
  private readonly told = make("p", { className: "quiet" });
  private dialog: HTMLDialogElement | undefined;
  private ranking: Ranking | undefined;
  private found: Entry[] = [];
  private active = 0;

  /** `placeholder` says what; `collect` is called when the reader asks first, `numbered` for each query. */
  constructor(
    private readonly placeholder: string,
    private readonly others: SiteSearch,
    private readonly collect: () => Entry[] = () => [],
    private readonly numbered: (query: string) => Entry[] = () => [],
  ) {}

  open(): void {
    const dialog = (this.dialog ??= this.build());
    this.ranking ??= new Ranking(this.collect());
    this.field.value = "";
    dialog.showModal();
    this.show();
    void this.others.load().then(() => dialog.open && (this.field.value !== "" || this.others.problem !== "") && this.show());
  }

  private build(): HTMLDialogElement {
    const { field, list } = this;
    const attributes = { role: "combobox", "aria-label": "Find", "aria-autocomplete": "list", "aria-controls": list.id, "aria-expanded": "true", enterkeyhint: "go", autocapitalize: "off", dir: "auto" };
    for (const [name, value] of Object.entries(attributes)) field.setAttribute(name, value);
    field.placeholder = this.placeholder;
    list.setAttribute("role", "listbox");
    list.setAttribute("aria-label", "Found");
    list.tabIndex = -1;
    this.told.setAttribute("role", "status");
    field.addEventListener("input", () => this.show());
    field.addEventListener("keydown", (event) => this.key(event));
    list.addEventListener("click", (event) => {
      const item = (event.target as Element).closest("li");
      if (item) this.choose([...list.children].indexOf(item));
    });
    // The field keeps the focus.
    list.addEventListener("mousedown", (event) => event.preventDefault());
    const dialog = make("dialog", { className: "find" }, field, list, this.told);
    dialog.setAttribute("aria-label", "Find");
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
    document.body.append(dialog);
    return dialog;
  }

  private show(): void {
    const query = this.field.value;
    const here = [...this.numbered(query), ...this.ranking!.best(query, most)];
    const elsewhere = this.others.find(query, most);
    this.found = [...here.slice(0, most - Math.min(elsewhere.length, mostElsewhere)), ...elsewhere].slice(0, most);
    this.list.replaceChildren(...this.found.map((entry, index) => item(entry, index, query)));
    const told = this.found.length === 0 ? (query.trim() === "" ? "" : "Nothing fits.") : this.found.length === 1 ? "1 result" : `${this.found.length}${this.found.length === most ? " best" : ""} results`;
    this.told.textContent = [told, this.others.problem].filter(Boolean).join(" · ");
    this.list.scrollTop = 0;
    this.mark(0);
  }

  private mark(index: number): void {
    this.list.children[this.active]?.setAttribute("aria-selected", "false");
    this.active = index;
    const chosen = this.list.children[index];
    if (!chosen) return this.field.removeAttribute("aria-activedescendant");
    chosen.setAttribute("aria-selected", "true");
    this.field.setAttribute("aria-activedescendant", chosen.id);
    revealIn(this.list, chosen);
  }

  private key(event: KeyboardEvent): void {
    if (event.isComposing || event.ctrlKey || event.altKey || event.metaKey) return;
    const count = this.found.length;
    const page = 8;
    const to = {
      ArrowDown: (this.active + 1) % Math.max(1, count), ArrowUp: (this.active + count - 1) % Math.max(1, count),
      PageDown: Math.min(count - 1, this.active + page), PageUp: Math.max(0, this.active - page),
    }[event.key];
    if (to === undefined && event.key !== "Enter") return;
    event.preventDefault();
    if (count === 0) return;
    if (to === undefined) this.choose(this.active);
    else this.mark(to);
  }

  private choose(index: number): void {
    this.dialog!.close();
    this.found[index]?.go();
  }
}

function item({ kind, label, detail }: Entry, index: number, query: string): HTMLElement {
  const at = query.trim() === "" ? -1 : label.toLowerCase().indexOf(query.trim().toLowerCase());
  const text = kind === "text" && at > before ? `…${label.slice(at - before)}` : label;
  const words = make("span", { className: `of ${kind === "line" || kind === "variable" || kind === "function" ? "mono" : ""}`, dir: "auto", textContent: text });
  const option = make("li", { id: `found.${index}` }, words, make("span", { className: "at", textContent: detail }), make("span", { className: "kind", textContent: kind }));
  option.setAttribute("role", "option");
  option.setAttribute("aria-selected", "false");
  return option;
}
