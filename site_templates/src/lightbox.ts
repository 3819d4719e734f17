// A figure, shown large: an image, a graph or a plot. Images are links to their files, which they stay without this script;
// graphs and plots get a button. The arrow keys lead to the other figures of the lecture.

import { make } from "./element";
import { bringIntoView } from "./scroll";
import { onSwipe } from "./swipe";

const drawn = ".graph > .scroll:has(> svg), .plot > .chart";
const openers = "a.enlarge, .block-tool.enlarges";

/** Buttons for what is drawn on the page. In a single file, links around images have no address of their own. */
export function addEnlargers(part: ParentNode): void {
  for (const link of part.querySelectorAll<HTMLAnchorElement>("a.enlarge:not([href])")) link.href = link.querySelector("img")!.src;
  for (const picture of part.querySelectorAll(drawn)) {
    if (picture.previousElementSibling?.matches(".block-tool")) continue;
    const button = make("button", { type: "button", className: "block-tool enlarges", textContent: "Enlarge" });
    const name = nameOf(picture);
    if (name !== "") button.setAttribute("aria-label", `Enlarge: ${name}`);
    picture.before(button);
  }
}

function nameOf(picture: Element | null): string {
  return (picture?.matches("[aria-label]") ? picture : picture?.querySelector("[aria-label]"))?.getAttribute("aria-label") ?? "";
}

/** Of a plot there are pictures for several widths. */
function drawingOf(opener: Element): SVGElement | undefined {
  return [...(opener.nextElementSibling?.querySelectorAll<SVGElement>("svg") ?? [])].find((each) => each.getClientRects().length > 0);
}

/** A drawing's copy refers to its own parts. */
function copyOf(drawing: SVGElement): SVGElement {
  const copy = drawing.cloneNode(true) as SVGElement;
  const ids = [...copy.querySelectorAll("[id]")].map(({ id }) => id);
  for (const element of [copy, ...copy.querySelectorAll("*")]) {
    if (element.id) element.id = `large.${element.id}`;
    for (const { name, value } of [...element.attributes]) {
      const id = /^url\(["']?#(.*?)["']?\)$/.exec(value)?.[1];
      if (id !== undefined && ids.includes(id)) element.setAttribute(name, `url(#large.${id})`);
    }
  }
  return copy;
}

/** As wide for its height as on the page. */
function shaped<Picture extends HTMLElement | SVGElement>(picture: Picture, onPage: Element): Picture {
  const { width, height } = onPage.getBoundingClientRect();
  picture.style.setProperty("--ratio", String(width > 0 && height > 0 ? width / height : 1));
  return picture;
}

/** What an opener shows, and what it says. */
function pictureOf(opener: Element): { picture: Element; words: string } {
  const image = opener.querySelector("img");
  if (image) return { picture: shaped(make("img", { src: (opener as HTMLAnchorElement).href, alt: image.alt, className: image.className }), image), words: image.alt };
  const words = nameOf(opener.nextElementSibling);
  const drawing = drawingOf(opener)!;
  const copy = shaped(copyOf(drawing), drawing);
  copy.setAttribute("role", "img");
  if (words !== "") copy.setAttribute("aria-label", words);
  return { picture: copy, words };
}

class Lightbox {
  private readonly place = make("p", { id: "figure-place" });
  private readonly stage = make("div", { className: "stage", tabIndex: 0 });
  private readonly caption = make("figcaption", {});
  private readonly size = this.button("Actual size", "Actual size (z)", () => this.resize());
  private readonly moves = [this.button("‹", "The figure before (←)", () => this.move(-1)), this.button("›", "The next figure (→)", () => this.move(1))];
  private readonly dialog = make(
    "dialog",
    { className: "lightbox", tabIndex: -1 },
    make("header", {}, this.place, ...this.moves, this.size, this.button("✕", "Close (Esc)", () => this.dialog.close())),
    make("figure", {}, this.stage, this.caption),
  );
  private openers: HTMLElement[] = [];
  private at = 0;

  constructor() {
    this.place.setAttribute("aria-live", "polite");
    this.dialog.setAttribute("aria-labelledby", this.place.id);
    this.dialog.addEventListener("click", ({ target }) => {
      if (target === this.dialog) this.dialog.close();
      if (target instanceof Element && target.parentElement === this.stage) this.resize();
    });
    this.dialog.addEventListener("close", () => this.leave());
    onSwipe(this.stage, (direction) => this.move(direction));
    // Whatever has the focus: no key of the page acts behind the figure.
    addEventListener("keydown", (event) => this.key(event), true);
    document.body.append(this.dialog);
  }

  open(opener: HTMLElement): void {
    this.openers = [...document.querySelectorAll<HTMLElement>(openers)].filter((each) => each.getClientRects().length > 0 && (each.localName === "a" || drawingOf(each)));
    this.at = Math.max(0, this.openers.indexOf(opener));
    this.show();
    this.dialog.showModal();
    this.stage.focus();
  }

  private button(text: string, name: string, act: () => void): HTMLButtonElement {
    const made = make("button", { type: "button", textContent: text, title: name, onclick: act });
    if (text.length === 1) made.setAttribute("aria-label", name.replace(/ \(.*/, ""));
    return made;
  }

  private show(): void {
    const opener = this.openers[this.at]!;
    const { picture, words } = pictureOf(opener);
    const caption = opener.closest("figure")?.querySelector("figcaption");
    this.stage.replaceChildren(picture);
    this.caption.replaceChildren(...[...(caption?.childNodes ?? [])].map((node) => node.cloneNode(true)));
    // The text in place of the image, for who wants to read it; a screen reader has it with the image.
    if (words !== "" && words !== caption?.textContent) this.caption.append(make("p", { className: "alt", textContent: words, ariaHidden: "true" }));
    const count = this.openers.length;
    this.place.textContent = count > 1 ? `Figure ${this.at + 1} of ${count}` : "Figure";
    for (const move of this.moves) move.hidden = count < 2;
    this.resize(false);
  }

  private move(direction: 1 | -1): void {
    const count = this.openers.length;
    if (count < 2) return;
    this.at = (this.at + direction + count) % count;
    this.show();
  }

  private resize(actual = !this.isActual): void {
    this.dialog.classList.toggle("actual", actual);
    this.size.setAttribute("aria-pressed", String(actual));
  }

  private get isActual(): boolean {
    return this.dialog.classList.contains("actual");
  }

  private key(event: KeyboardEvent): void {
    if (!this.dialog.open) return;
    event.stopPropagation();
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const arrow = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    // In actual size the arrow keys go over the figure.
    if (arrow !== 0 && !this.isActual) this.move(arrow);
    else if (event.key.toLowerCase() === "z") this.resize();
    else return;
    event.preventDefault();
  }

  private leave(): void {
    const opener = this.openers[this.at];
    this.stage.replaceChildren();
    if (!opener?.isConnected) return;
    opener.focus({ preventScroll: true });
    const row = opener.closest<HTMLElement>(".row, .title");
    if (row) bringIntoView(row);
  }
}

export function initLightbox(): void {
  let lightbox: Lightbox | undefined;
  document.addEventListener("click", (event) => {
    const opener = event.target instanceof Element ? event.target.closest<HTMLElement>(openers) : null;
    if (!opener || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    (lightbox ??= new Lightbox()).open(opener);
  });
}
