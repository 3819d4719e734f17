// The page that has a lecture and the same lecture in another language side by side. Loaded before beside.js, which calls
// lecternBeside([first, other]): by step of each the step of the other (engine/site/beside.h).
//
// Its address has the step, of the first run as #step=… and of the other one as #beside=….

import { decode } from "./columns";
import type { Column } from "./data";
import { setText } from "./element";
import { outward } from "./frame_messages";
import { showHelp, singleKeys } from "./help";
import { actionOf, type Action } from "./keys";
import { chooseRun } from "./run_choice";
import { goHome, opposite, SideBySide, type Side } from "./side_by_side";
import { initThemeSwitch } from "./theme_switch";

const keys = ["#step=", "#beside="] as const;
/** Milliseconds: as of the address of a lecture's page (address.ts). */
const rest = 300;

class Beside {
  private readonly frames: readonly [HTMLIFrameElement, HTMLIFrameElement];
  private readonly pages: readonly [string, string];
  private readonly said = [...document.querySelectorAll<HTMLElement>(".sides [role=status]")];
  private readonly pair: SideBySide;
  private readonly nextTheme = initThemeSwitch();
  /** Whose step the reader chose last, and the links to what both show. */
  private lead: Side = 0;
  private readonly links: [string, string] = ["", ""];
  private timer = 0;

  constructor(columns: readonly [Column, Column]) {
    const frame = (name: string): HTMLIFrameElement => document.querySelector<HTMLIFrameElement>(`iframe[name="${name}"]`)!;
    this.frames = [frame("first"), frame("other")];
    this.pages = [this.frames[0].src, this.frames[1].src];
    const [first, other] = [decode(columns[0]), decode(columns[1])];
    this.pair = new SideBySide(
      [
        { frame: this.frames[0], count: first.length, beside: (step) => first[step]! },
        { frame: this.frames[1], count: other.length, beside: (step) => other[step]! },
      ],
      { moved: (side, link, alone) => this.moved(side, link, alone), act: (action, side) => this.act(action, side) },
    );
    this.follow();
    this.listen();
  }

  /** What the address asks for is for one of the pages to say. */
  private follow(): void {
    const side = ([0, 1] as const).find((each) => location.hash.startsWith(keys[each]));
    if (side === undefined) return;
    this.lead = side;
    this.frames[side].contentWindow!.location.replace(this.pages[side] + keys[0] + location.hash.slice(keys[side].length));
  }

  private moved(side: Side, link: string, alone: boolean): void {
    this.lead = side;
    this.links[side] = link;
    setText(this.said[side]!, "");
    setText(this.said[opposite(side)]!, alone ? "Stays here: no step corresponds to that one" : "");
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => history.replaceState(null, "", keys[side] + link.slice(keys[0].length)), rest);
  }

  /** The page of one side, at the step that it shows. */
  private address(side: Side): string {
    if (this.pair.at[side] < 0) return this.pages[side];
    return this.pages[side] + (this.lead === side ? this.links[side] : `${keys[0]}${this.pair.at[side] + 1}`);
  }

  private act(action: Action, side: Side): void {
    switch (action) {
      case "device": return this.leave(opposite(side));
      case "beside": return this.leave(side);
      case "home": return goHome();
      case "theme": return this.nextTheme();
      case "help": return showHelp();
      default:
        this.frames[side].focus();
        return this.pair.send(side, { lectern: "act", action });
    }
  }

  private leave(side: Side): void {
    const page = new URL(this.pages[side]).pathname;
    const link = [...document.querySelectorAll<HTMLAnchorElement>(".runs a")].find((each) => each.pathname === page);
    chooseRun(link?.dataset.profile ?? "");
    location.assign(this.address(side));
  }

  private listen(): void {
    addEventListener("hashchange", () => this.follow());
    addEventListener("keydown", (event) => {
      const action = actionOf(event, singleKeys());
      if (!action) return;
      event.preventDefault();
      if (!event.repeat || !outward.includes(action)) this.act(action, this.lead);
    });
    for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-action]")) {
      button.addEventListener("click", () => this.act(button.dataset.action as Action, this.lead));
    }
    for (const link of document.querySelectorAll<HTMLAnchorElement>(".runs a[data-profile]")) {
      const page = link.href;
      const side: Side = page === this.pages[1] ? 1 : 0;
      const lead = (): string => (link.href = page + this.address(side).slice(this.pages[side].length));
      for (const kind of ["pointerdown", "focus"]) link.addEventListener(kind, lead);
      link.addEventListener("click", () => chooseRun(link.dataset.profile!));
    }
    document.querySelector<HTMLElement>(".tools")!.hidden = false;
  }
}

(window as unknown as { lecternBeside: (columns: readonly [Column, Column]) => void }).lecternBeside = (columns) => new Beside(columns);
