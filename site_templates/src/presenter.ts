// Presenting: large type, one section at a time, moved by steps and sections. The address keeps it (?present), Escape leaves.

import { hideMessage, showMessage } from "./announce";
import { make } from "./element";
import type { Action } from "./keys";
import type { Model } from "./model";
import { layOut } from "./paint";
import type { Rows } from "./rows";
import type { Sections } from "./sections";
import { Slides } from "./slides";
import { SpeakerWindow } from "./speaker_window";

const root = document.documentElement;

interface Host {
  at(): number;
  /** Goes to a step, with an entry in the history. */
  jump(step: number): void;
  /** Goes to a step, or says why there is none. */
  advance(step: number, otherwise: string): void;
  /** Shows the step anew. */
  draw(): void;
  leaveRaw(): void;
}

export class Presenter {
  private on = false;
  private made: Slides | undefined;
  private slide = 0;
  private step = -1;
  private env = "on";
  private readonly speaker: SpeakerWindow;
  private readonly place = make("span", { className: "slide-place" });
  private strip: HTMLElement | undefined;

  constructor(
    private readonly model: Model,
    private readonly rows: Rows,
    private readonly sections: Sections,
    private readonly host: Host,
  ) {
    this.speaker = new SpeakerWindow({
      act: (action) => void (action === "step" ? this.move(1) : action === "back" ? this.move(-1) : this.act(action)),
      slide: () => ({ slides: this.slides.list, number: this.slide, step: this.host.at(), steps: this.model.count }),
    });
    addEventListener("keydown", (event) => this.key(event));
    addEventListener("popstate", () => this.followAddress());
    this.followAddress();
  }

  private get slides(): Slides {
    if (!this.made) {
      this.host.leaveRaw(); // there the parts are in another order
      this.made = new Slides(this.model, this.rows, this.sections.list);
    }
    return this.made;
  }

  /** Returns whether the action was about presenting, or is another one while it goes on. */
  act(action: Action): boolean {
    // Beside another run, in a report, there is one page of two.
    if (parent !== window && ["present", "speaker", "full-screen"].includes(action)) return true;
    switch (action) {
      case "present": this.on ? this.leave() : this.enter(); return true;
      case "speaker": this.bring(); this.speaker.open(); return true;
      case "section": this.go(1); return true;
      case "section-back": this.go(-1); return true;
      case "full-screen": void this.toggleFullScreen(); return true;
      case "step": if (this.on) this.move(1); return this.on;
      case "back": if (this.on) this.move(-1); return this.on;
      case "raw": return this.on; // slides have one order
      default: return false;
    }
  }

  /** Shows the slide of a step. Called for each step, before anything is scrolled to. */
  update(step: number): void {
    if (!this.on && !this.speaker.isOpen) return;
    if (step !== this.step) this.bring();
    this.show();
  }

  // --- moving -------------------------------------------------------------------------------------------------------

  /** Takes the slide from the step; a call that only leads on leaves it as it is. */
  private bring(): void {
    this.step = this.host.at();
    const site = this.model.site(this.step);
    const slide = this.slides.leadsOn(site) ? -1 : this.slides.of(site);
    if (slide >= 0) this.slide = slide;
  }

  /** To the next step, in a direction, of which something is seen. */
  private move(direction: 1 | -1): void {
    this.host.advance(this.slides.step(this.host.at(), direction), direction > 0 ? "This is the last step." : "This is the first step.");
  }

  private go(direction: 1 | -1): void {
    if (!this.on && !this.speaker.isOpen) this.bring();
    const slide = this.slide + direction;
    const next = this.slides.list[slide];
    if (!next) return showMessage(direction > 0 ? "This is the last section." : "This is the first section.");
    hideMessage();
    this.step = -1; // the slide follows, even where the step is the same
    if (next.firstStep !== undefined) return this.host.jump(next.firstStep);
    // It has no step: the run stays where it is.
    if (!this.on) return next.items[0]!.scrollIntoView();
    this.slide = slide;
    this.show();
    scrollTo(0, 0);
  }

  private key(event: KeyboardEvent): void {
    if (!this.on || event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return;
    if (document.querySelector("dialog[open]")) return;
    const target = event.target as Element;
    if (event.key !== "Escape" && target.closest?.("input:not(#progress), textarea, select")) return;
    switch (event.key) {
      case "Escape": return this.leave();
      case "PageDown": this.act(event.shiftKey ? "section" : "step"); break;
      case "PageUp": this.act(event.shiftKey ? "section-back" : "back"); break;
      default: return;
    }
    event.preventDefault();
  }

  // --- showing ------------------------------------------------------------------------------------------------------

  private enter(): void {
    this.on = true;
    this.env = root.dataset.env ?? "on";
    root.dataset.env = "off";
    if (!this.strip) document.querySelector(".bar")!.append((this.strip = this.makeStrip()));
    this.bring();
    root.classList.add("presenting");
    this.pressed();
    keepInAddress(true);
    this.show();
    this.host.draw();
  }

  private leave(): void {
    this.on = false;
    root.classList.remove("presenting");
    root.dataset.env = this.env;
    this.pressed();
    keepInAddress(false);
    if (document.fullscreenElement) void document.exitFullscreen();
    layOut();
    this.host.draw();
  }

  private pressed(): void {
    for (const [action, on] of [["present", this.on], ["env", root.dataset.env === "on"]] as const) {
      document.querySelector(`.tools [data-action="${action}"]`)?.setAttribute("aria-pressed", String(on));
    }
  }

  private followAddress(): void {
    const asked = new URLSearchParams(location.search).has("present");
    if (asked && !this.on) this.enter();
    else if (!asked && this.on) this.leave();
  }

  private shown: HTMLElement[] = [];

  private show(): void {
    const { title, items } = this.slides.list[this.slide]!;
    if (this.on && items !== this.shown) {
      for (const item of this.shown) item.classList.remove("slide");
      for (const item of items) item.classList.add("slide");
      this.shown = items;
      this.place.textContent = `${this.slide + 1} / ${this.slides.list.length}  ${title}`;
      scrollTo(0, 0);
    }
    this.speaker.tell();
  }

  private makeStrip(): HTMLElement {
    const button = (action: Action, text: string, name: string): HTMLElement => {
      const made = make("button", { type: "button", textContent: text, title: name });
      if (text !== name) made.setAttribute("aria-label", name);
      made.dataset.action = action;
      return made;
    };
    const strip = make(
      "div",
      { className: "presenter" },
      button("section-back", "«", "The section before ([)"),
      button("back", "‹", "Step back (←)"),
      button("step", "›", "Step (→)"),
      button("section", "»", "The next section (])"),
      this.place,
      ...(document.fullscreenEnabled ? [button("full-screen", "Full screen", "Full screen")] : []),
      button("speaker", "Speaker", "The speaker’s window (S)"),
      button("present", "Leave", "Leave (Esc)"),
    );
    strip.setAttribute("role", "group");
    strip.setAttribute("aria-label", "Presenting");
    return strip;
  }

  private async toggleFullScreen(): Promise<void> {
    try {
      if (document.fullscreenElement) await document.exitFullscreen();
      else await root.requestFullscreen();
    } catch {
      showMessage("The browser does not allow full screen here.");
    }
  }
}

/** So that a page that is opened again, or from a bookmark, is presented. */
function keepInAddress(on: boolean): void {
  const url = new URL(location.href);
  if (url.searchParams.has("present") === on) return;
  // Not by searchParams, which would write "present=".
  const others = url.search.replace(/^\?/, "").split("&").filter((part) => part !== "" && !/^present(=|$)/.test(part));
  url.search = [...(on ? ["present"] : []), ...others].join("&");
  history.replaceState(history.state, "", url);
}
