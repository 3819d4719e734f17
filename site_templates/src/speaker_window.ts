// The page's side of the speaker's window: opens it, tells it what is shown, and does what is asked for there.

import { hideMessage, showMessage } from "./announce";
import { isInAnotherLanguage } from "./language";
import { inOneFile } from "./one_file";
import { isOfThisSite, tell } from "./same_site";
import type { Slide } from "./slides";
import { speakerActions, type SpeakerAction, type SpeakerRequest, type SpeakerState } from "./speaker_messages";

interface Host {
  act(action: SpeakerAction): void;
  slide(): { slides: readonly Slide[]; number: number; step: number; steps: number };
}

export class SpeakerWindow {
  private other: Window | null = null;
  private watch = 0;

  constructor(private readonly host: Host) {
    addEventListener("message", (event) => this.hear(event));
  }

  get isOpen(): boolean {
    return this.other !== null && !this.other.closed;
  }

  open(): void {
    if (this.isOpen) return this.other!.focus();
    if (inOneFile()) return showMessage("A lecture in a single file has no speaker’s window: that is a page of the site.");
    const home = document.querySelector<HTMLAnchorElement>("a.mark")!.href;
    this.other = window.open(new URL("speaker.html", home), `speaker of ${location.pathname}`, "popup,width=960,height=680");
    if (!this.isOpen) {
      this.other = null;
      return showMessage("The browser blocked the speaker’s window. Allow this page to open windows, then press S again.");
    }
    hideMessage();
    clearInterval(this.watch);
    this.watch = window.setInterval(() => {
      if (this.isOpen) return;
      clearInterval(this.watch);
      this.other = null;
      showMessage("The speaker’s window was closed. S opens it again.");
    }, 500);
  }

  /** Tells what is shown now. */
  tell(): void {
    if (this.isOpen) tell(this.other!, this.state());
  }

  private hear(event: MessageEvent): void {
    if (!this.isOpen || event.source !== this.other || !isOfThisSite(event)) return;
    const request = event.data as Partial<SpeakerRequest> | null;
    if (request?.lectern === "hello") this.tell();
    else if (request?.lectern === "act" && speakerActions.includes(request.action!)) this.host.act(request.action!);
  }

  private state(): SpeakerState {
    const { slides, number, step, steps } = this.host.slide();
    const { title, items } = slides[number]!;
    const next = slides[number + 1];
    return {
      lectern: "state",
      lecture: document.querySelector("h1")?.textContent ?? "",
      slide: { number: number + 1, count: slides.length, title },
      next: next ? { title: next.title, html: beginning(next) } : null,
      notes: items.flatMap((item) => [...item.querySelectorAll(".note")]).filter((note) => !isInAnotherLanguage(note)).map(noteHtml),
      none: whyNone(),
      step: { number: step + 1, count: steps },
    };
  }
}

function whyNone(): string {
  if (document.documentElement.dataset.audience === "students") return "This page was built for students: it has no speaker’s notes.";
  return document.querySelector(".note") ? "No notes for this section." : "This lecture has no speaker’s notes.";
}

/** What a slide begins with, below its title: two things that are shown. */
function beginning({ items }: Slide): string {
  const slots = items.flatMap((item) => [...item.querySelectorAll(":scope:not(.quiet) > .slot")]);
  return slots.slice(0, 3).map(html).join("");
}

/** With its language, if it has one of its own. */
function noteHtml(note: Element): string {
  const around = note.parentElement!;
  if (!around.lang) return html(note);
  const copy = around.cloneNode() as Element;
  copy.innerHTML = html(note); // of what the page holds itself
  return copy.outerHTML;
}

/** In the reader's language, without headings that are told anyway; images as seen from elsewhere. */
function html(element: Element): string {
  const copy = element.cloneNode(true) as Element;
  const copies = copy.querySelectorAll(".tongue");
  [...element.querySelectorAll(".tongue")].forEach((part, i) => isInAnotherLanguage(part) && copies[i]!.remove());
  for (const part of copy.querySelectorAll(":is(h2, h3), .note > .box-title, .chart, .note .note")) part.remove();
  copy.querySelector(":scope > .box-title")?.remove();
  for (const image of copy.querySelectorAll("img")) image.setAttribute("src", image.src);
  return copy.innerHTML;
}
