// A lecture's page in a frame, beside another run of the lecture: in a report, or on the page that has two programs side by side.
// The page around it leads, once it has said that it is of the same site; anywhere else this does nothing.

import { linkTo } from "./address";
import { asMessage, isAction, isStep, outward, type FromFrame } from "./frame_messages";
import type { Action } from "./keys";
import type { Model } from "./model";
import { isOfThisSite, tell } from "./same_site";

interface Host {
  at: () => number;
  moved: () => boolean;
  act: (action: Action) => void;
  lead: (step: number) => void;
}

export class Framed {
  private accompanied = false;
  /** The step that the page around asked for: it need not be told of it. */
  private led = -1;

  /** Undefined in a window of its own. */
  static of(model: Model, host: Host): Framed | undefined {
    return parent === window ? undefined : new Framed(model, host);
  }

  private constructor(
    private readonly model: Model,
    private readonly host: Host,
  ) {
    addEventListener("message", (event) => this.hear(event));
    document.addEventListener("click", (event) => this.leadOut(event.target), true);
    parent.postMessage({ lectern: "ready" }, "*");
  }

  private hear(event: MessageEvent): void {
    if (event.source !== parent || !isOfThisSite(event)) return;
    const { lectern, step, action } = asMessage(event.data);
    if (lectern === "act" && isAction(action) && !outward.includes(action)) this.host.act(action);
    if (lectern !== "go") return;
    this.accompanied = true;
    if (isStep(step, this.model.count)) this.host.lead((this.led = step));
    else if (this.host.moved()) this.shown(this.host.at());
  }

  /** Tells of a step, unless it was asked for. Returns whether it was. */
  shown(step: number): boolean {
    if (step === this.led) return true;
    this.led = -1;
    if (this.accompanied) tell<FromFrame>(parent, { lectern: "at", step, link: linkTo(this.model, step) });
    return false;
  }

  /** Leaves what leads away from both pages to the page around. */
  passesOn(action: Action): boolean {
    if (!this.accompanied || !outward.includes(action)) return false;
    // In a report each page is of one run.
    if (action !== "home" && !document.querySelector(".runs")) return false;
    tell<FromFrame>(parent, { lectern: "act", action });
    return true;
  }

  /** Links to other pages are not for half a window. */
  private leadOut(target: EventTarget | null): void {
    const link = this.accompanied && target instanceof Element ? target.closest("a") : null;
    const page = (address: string): string => address.replace(/#.*$/s, "");
    if (link instanceof HTMLAnchorElement && link.target === "" && page(link.href) !== page(location.href)) link.target = "_top";
  }
}
