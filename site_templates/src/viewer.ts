// The page's script. Runs before steps.js, which calls lectern(data).

import { Address, linkTo, linkToLine, resolve } from "./address";
import { announce, hideMessage, showMessage } from "./announce";
import { initCards } from "./cards";
import { initCaptions } from "./captions";
import { copyLink } from "./copy";
import { Costs } from "./costs";
import type { PageData } from "./data";
import { copyEmbedCode } from "./embed_code";
import { Excerpt } from "./excerpt";
import { RunData } from "./run_data";
import { Find } from "./find";
import { initBlocks } from "./equip";
import { collect, numbered, type Reader } from "./find_entries";
import { Fragments } from "./fragments";
import { isStep } from "./frame_messages";
import { Framed } from "./framed";
import { showHelp, singleKeys } from "./help";
import { actionOf, type Action } from "./keys";
import { initLanguageChoice } from "./language_choice";
import { Model, type Frame } from "./model";
import { initOutline, toggleOutline } from "./outline";
import { afterPaint, layOut } from "./paint";
import { Panel } from "./panel";
import { showFiles, unfoldTarget } from "./folds";
import { Place } from "./place";
import { Plots } from "./plots";
import { Presenter } from "./presenter";
import { Ranks } from "./ranks";
import { printTheEnd } from "./print";
import { Progress } from "./progress";
import { Reveal } from "./reveal";
import { Rows } from "./rows";
import { Runs } from "./runs";
import { bringIntoView } from "./scroll";
import { Sections } from "./sections";
import { SiteSearch } from "./site_search";
import { bringSourceRows, rowsCame } from "./source_rows";
import { save } from "./storage";
import { isBesideNumber, Study } from "./study";
import { onSwipe } from "./swipe";
import { initTensors } from "./tensors";
import { initThemeSwitch } from "./theme_switch";

const root = document.documentElement;

class Viewer {
  private readonly model: Model;
  private readonly rows: Rows;
  private readonly place: Place;
  private readonly fragments: Fragments;
  private readonly panel: Panel;
  private readonly progress: Progress;
  private readonly reveal: Reveal;
  private readonly sections = new Sections();
  private readonly address: Address;
  private readonly study: Study;
  private readonly runs: Runs;
  private readonly costs: Costs | undefined;
  private ranks: Ranks | undefined;
  private readonly presenter: Presenter;
  private readonly nextTheme = initThemeSwitch();
  private readonly find: Find;
  private readonly excerpt: Excerpt | undefined;
  private readonly framed: Framed | undefined;
  private step = 0;
  private drawn = -1;
  private direction: 1 | -1 = 1;
  /** Changes after this step are marked: all that happened on the way when stepping forward over calls. */
  private since = -1;
  private waiting = false;
  private moved = false;

  constructor(data: RunData) {
    this.model = new Model(data);
    this.rows = new Rows(this.model);
    this.place = new Place(() => (this.moved ? this.rows.visible(this.model.site(this.step)) : undefined));
    this.fragments = new Fragments(this.model, plots);
    this.panel = new Panel(this.model, (frame) => this.visit(frame));
    this.reveal = new Reveal(this.model);
    this.address = new Address(this.model, () => this.step);
    this.progress = new Progress(this.model, this.sections.starts(this.model), (step, jump) => {
      hideMessage();
      this.go(step, jump);
    });
    this.study = new Study(this.model, this.rows, {
      at: () => this.step,
      jump: (step) => this.jump(step),
      advance: (step) => this.advance(step, ""),
      say: () => announce(() => this.words()),
      reveals: () => this.reveal.on,
      showState: () => this.panel.update(this.step, this.since),
      sitesOn: (source, line) => this.sitesOn(source, line),
    });
    this.panel.marked = (activation, name) => this.study.mark.value(activation, name, this.step);
    this.panel.onVariables = (activation) => this.study.attach(activation);
    this.find = this.makeFind();
    this.runs = new Runs(this.model, this.rows, {
      at: () => this.step,
      moved: () => this.moved,
      sitesOn: (source, line) => this.sitesOn(source, line),
    });
    this.costs = Costs.of(this.model, (step) => this.jump(step));
    Ranks.load(this.model, (ranks) => {
      this.ranks = ranks;
      ranks.update(this.step);
    });
    this.presenter = new Presenter(this.model, this.rows, this.sections, {
      at: () => this.step,
      jump: (step) => this.jump(step),
      advance: (step, otherwise) => this.advance(step, otherwise),
      draw: () => this.schedule(),
      leaveRaw: () => root.dataset.raw === "on" && this.switch("raw"),
    });
    printTheEnd(this.model, this.fragments, () => (this.moved ? this.step : -1));
    this.model.fragments.came = () => {
      this.fragments.complete();
      this.panel.complete();
      this.unveil();
    };
    this.excerpt = Excerpt.of(this.model, this.rows);
    this.press("env", root.dataset.env === "on");
    this.press("costs", root.dataset.costs === "on");
    if (this.excerpt) this.begin(this.excerpt.first);
    this.draw();
    this.runs.arrive();
    if (!this.excerpt) this.follow();
    this.runs.settle();
    this.framed = this.excerpt ? undefined : Framed.of(this.model, {
      at: () => this.step,
      moved: () => this.moved,
      act: (action) => this.act(action),
      lead: (step) => this.lead(step),
    });
    this.listen();
    this.unveil();
    performance.mark("lectern-ready");
  }

  private makeFind(): Find {
    const reader: Reader = {
      jump: (step) => this.jump(step),
      act: (action) => this.act(action),
      visit: (row) => this.visitRow(row),
      openHistory: (fn, name) => this.study.openHistory(fn, name),
    };
    return new Find(
      "A section, function, variable, line, step, command",
      new SiteSearch(true),
      () => collect(this.model, this.study.changes, this.sections.list, reader),
      (query) => numbered(query, this.step, this.model, reader),
    );
  }

  /** Shows a step without a way back to what was before. */
  private begin(step: number): void {
    this.step = step;
    this.since = step - 1;
    this.moved = true;
  }

  /** Shows a step that the reader left by a jump, or one that goes with another run's, beside which this page is. */
  private lead(step: number): void {
    hideMessage();
    this.address.drop();
    this.begin(step);
    this.schedule();
  }

  // --- moving -------------------------------------------------------------------------------------------------------

  /** Goes to a step. `jump`: an entry of its own in the history, if it is another one. */
  private go(step: number, jump: boolean): void {
    const target = Math.max(0, Math.min(this.model.last, step));
    if (this.excerpt && !this.excerpt.includes(target)) return;
    const leads = jump && target !== this.step;
    // The history of the page around an excerpt is not its own.
    if (leads && !this.excerpt) this.address.leaving();
    if (jump || target <= this.step) this.since = target - 1;
    else if (!this.waiting) this.since = this.step;
    if (target !== this.step) this.direction = target > this.step ? 1 : -1;
    this.step = target;
    this.moved = true;
    if (!this.excerpt) this.address[leads ? "jumped" : "moved"]();
    this.schedule();
  }

  private jump(step: number): void {
    hideMessage();
    this.go(step, true);
  }

  private act(action: Action): void {
    const at = this.step;
    if (this.excerpt ? !this.excerpt.allows(action) : this.presenter.act(action)) return;
    if (this.framed?.passesOn(action)) return;
    if (action !== "find" && action !== "help") hideMessage();
    switch (action) {
      case "step": return this.advance(at < this.model.last ? at + 1 : -1, "This is the last step.");
      case "back": return this.advance(at - 1, "This is the first step.");
      case "over": return this.advance(this.model.over[at]!, this.atEnd());
      case "over-back": return this.advance(this.model.overBack[at]!, "This is the first step of this function.");
      case "out": return this.advance(this.model.out(at), this.atOutermost());
      case "again": return this.revisit([this.model.site(at)], 1);
      case "before": return this.revisit([this.model.site(at)], -1, this.study.passes.begin(at));
      case "first": return this.jump(this.excerpt?.first ?? 0);
      case "last": return this.jump(this.excerpt?.last ?? this.model.last);
      case "copy-link": return void copyLink(linkTo(this.model, at), at);
      case "raw": return void this.toggleSource();
      case "notes": return this.switch("notes");
      case "env":
        this.switch("env");
        return save("env", root.dataset.env ?? "on");
      case "costs":
        if (!this.costs) return showMessage("What this run cost was not recorded.");
        this.switch("costs");
        this.costs.show();
        return save("costs", root.dataset.costs ?? "off");
      case "reveal":
        this.reveal.toggle(this.step);
        this.press("reveal", this.reveal.on);
        return;
      case "device": return this.runs.next();
      case "beside": return this.runs.beside();
      case "theme": return this.nextTheme();
      case "outline": return toggleOutline();
      case "find": return this.find.open();
      case "help": return showHelp();
      case "embed": return void copyEmbedCode(this.model, this.rows, this.sections, at, this.study.mark.step);
      case "home": return this.leave(document.querySelector<HTMLAnchorElement>("a.mark")!.href);
      default: return this.study.act(action);
    }
  }

  private leave(home: string): void {
    if (home === "") showMessage("This file is a lecture by itself: it knows of no list of lectures.");
    else location.assign(home);
  }

  private atEnd(): string {
    return this.step === this.model.last ? "This is the last step." : "The run ended before this function returned.";
  }

  private atOutermost(): string {
    return this.model.depthOf(this.step) === 1 ? "This is the outermost function." : this.atEnd();
  }

  private advance(step: number, otherwise: string): void {
    hideMessage();
    if (step < 0) showMessage(otherwise);
    else this.go(step, false);
  }

  private switch(name: "raw" | "notes" | "env" | "costs"): void {
    const on = root.dataset[name] !== "on";
    this.place.keep(() => {
      root.dataset[name] = on ? "on" : "off";
      if (name === "raw") showFiles(on);
      this.rows.mark(this.step);
      this.rows.follow(this.step);
    });
    this.press(name, on);
  }

  private async toggleSource(): Promise<void> {
    if (root.dataset.raw === "on" || (await bringSourceRows())) this.switch("raw");
  }

  private press(action: Action, on: boolean): void {
    document.querySelector(`[data-action="${action}"]`)?.setAttribute("aria-pressed", String(on));
  }

  // --- drawing ------------------------------------------------------------------------------------------------------

  /** However many steps come in one frame, the page is drawn once. */
  private schedule(): void {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
      this.unveil();
    });
  }

  /** The state and the bar are seen from when they are filled (layout.css). */
  private unveil(): void {
    if (!this.waiting && !this.model.fragments.waits) root.classList.add("ready");
  }

  private draw(): void {
    const { step } = this;
    if (this.moved) this.fragments.update(step, this.model.activation[step]!);
    this.rows.mark(step);
    this.reveal.update(step);
    this.panel.update(step, this.since);
    this.study.showLine();
    this.progress.update(step);
    this.costs?.update(step);
    this.ranks?.update(step);
    this.excerpt?.update(step);
    this.drawn = step;
    this.presenter.update(step);
    if (!this.moved) return;
    const led = this.framed?.shown(step) ?? false;
    const row = this.rows.follow(step);
    if (row) {
      this.place.follow(row);
      this.sections.follow(row);
    }
    if (!this.study.playing && !led) announce(() => this.words());
  }

  private words(): string {
    const [, line] = this.model.data.sites[this.model.site(this.step)]!;
    const pending = new Set(this.study.predict.pending(this.step));
    const changes = this.model.data.vars.of(this.step).map(([name, value]) => {
      if (pending.has(name)) return `${name} is yours to guess`;
      return `${name} is ${this.model.data.values.words(value)}`;
    });
    const printed = this.model.data.out.of(this.step) !== undefined ? ["it printed text"] : [];
    const facts = [...changes, ...printed].join("; ");
    return `Line ${line}, ${this.model.functionName(this.step)}${facts === "" ? "" : `: ${facts}`}.`;
  }

  private visit(frame: Frame): void {
    if (this.moved) this.fragments.update(this.step, frame.activation);
    const row = this.rows.visible(frame.site);
    if (row) bringIntoView(row);
  }

  // --- the reader ---------------------------------------------------------------------------------------------------

  private follow(): void {
    const target = resolve(this.model, location.hash);
    const left = (history.state as { step?: unknown } | null)?.step;
    if (target.kind !== "step" && isStep(left, this.model.count)) return this.lead(left);
    if (target.kind === "none") return unfoldTarget();
    this.address.drop();
    if (target.kind === "bad") return showMessage(target.message);
    if (target.message) showMessage(target.message);
    else hideMessage();
    if (target.kind === "line") return this.showRow(target.row);
    if (target.step === this.drawn && this.moved) return;
    this.begin(target.step);
    this.schedule();
  }

  private listen(): void {
    addEventListener("keydown", (event) => {
      const action = actionOf(event, singleKeys());
      if (!action) return;
      event.preventDefault();
      const repeats = ["step", "back", "over", "over-back"].includes(action);
      if (!event.repeat || repeats) this.act(action);
    });
    document.addEventListener("click", (event) => {
      const element = event.target as Element;
      const button = element.closest<HTMLButtonElement>("button[data-action]");
      if (button) {
        this.act(button.dataset.action as Action);
        // After a click of the mouse the arrows belong to the stepper again.
        if (event.detail > 0 && !button.closest(".bar")) button.blur();
        return;
      }
      const number = element.closest<HTMLAnchorElement>(".row > a.n");
      if (number && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey)) {
        event.preventDefault();
        if (event.detail > 0) number.blur();
        if (isBesideNumber(event, number)) this.study.breakAt(number.parentElement!);
        else this.visitLine(number.parentElement!);
      }
    });
    for (const kind of ["pointerdown", "focusin"]) document.addEventListener(kind, (event) => this.linkLine(event.target));
    document.addEventListener(rowsCame, () => {
      this.rows.forget();
      this.rows.mark(this.step);
      this.reveal.renew(this.step);
    });
    onSwipe(document.getElementById("lecture")!, (direction) => this.act(direction > 0 ? "step" : "back"));
    if (this.excerpt) return;
    addEventListener("popstate", () => this.follow());
    addEventListener("hashchange", () => this.follow());
  }

  /** To where a row's line runs next; to the row itself if it never does. */
  private visitRow(row: HTMLElement): void {
    const source = Number(row.closest<HTMLElement>(".source")?.dataset.source ?? 0);
    if (this.model.timesRan(this.sitesOn(source, Number(row.dataset.line))) === 0) this.showRow(row);
    this.visitLine(row);
  }

  private showRow(row: HTMLElement): void {
    const fold = row.closest("details");
    if (fold) fold.open = true;
    bringIntoView(row);
  }

  /** Gives the number of a line a link that survives edits, as it may be copied now. */
  private linkLine(target: EventTarget | null): void {
    const number = target instanceof Element ? target.closest<HTMLAnchorElement>(".row > a.n") : null;
    if (!number) return;
    const row = number.parentElement!;
    const [source, line] = [Number(row.closest<HTMLElement>(".source")?.dataset.source ?? 0), Number(row.dataset.line)];
    const site = this.sitesOn(source, line).find((at) => this.model.data.sites[at]![1] === line);
    if (site !== undefined) number.hash = linkToLine(this.model, site, `s${source}-${line}`);
  }

  private visitLine(row: HTMLElement): void {
    const source = Number(row.closest<HTMLElement>(".source")?.dataset.source ?? 0);
    const line = Number(row.dataset.line);
    const sites = this.sitesOn(source, line);
    if (this.model.timesRan(sites) > 0) return this.revisit(sites, this.direction);
    const marked = (name: string): boolean => row.classList.contains(name);
    if (marked("unrecorded")) return showMessage("This line ran, but none of its steps is recorded.");
    showMessage(sites.length > 0 || marked("never") ? "This line never ran." : "There is no statement on this line.");
  }

  /** Goes to the next time that one of these statements, which share a line, ran; around the end if need be. */
  private revisit(sites: readonly number[], direction: 1 | -1, from = this.step): void {
    const next = this.model.nextExecution(sites, from, direction);
    if (!next) return;
    if (next.step === this.step) hideMessage();
    else this.jump(next.step);
    this.direction = direction;
    if (!next.wrapped) return;
    const times = this.model.timesRan(sites);
    if (times === 1) return showMessage("This line ran once.");
    const all = `${times.toLocaleString("en")} times`;
    showMessage(direction > 0 ? `Back to the first of ${all}.` : `Around to the last of ${all}.`);
  }

  /** The statements that begin on a line; else the smallest ones that go over it. */
  private sitesOn(source: number, line: number): number[] {
    const { sites } = this.model.data;
    const over: number[] = [];
    const begin: number[] = [];
    sites.forEach(([file, first, last], site) => {
      if (file !== source || line < first || line > last) return;
      over.push(site);
      if (first === line) begin.push(site);
    });
    if (begin.length > 0) return begin;
    const size = (site: number): number => sites[site]![2] - sites[site]![1];
    const smallest = Math.min(...over.map(size));
    return over.filter((site) => size(site) === smallest);
  }
}

let loaded = false;

function start(page: PageData): void {
  layOut();
  const data = new RunData(page);
  for (const part of document.querySelectorAll<HTMLElement>(".tools, .env, .bar")) part.hidden = false;
  if (data.at.length === 0) {
    root.classList.add("still");
    return showMessage("This lecture’s run has no steps: it can be read, but not stepped through.");
  }
  new Viewer(data);
}

(window as unknown as { lectern: (data: PageData) => void }).lectern = (data) => {
  loaded = true;
  performance.mark("lectern-data");
  afterPaint(() => {
    try {
      start(data);
    } catch (error) {
      root.classList.add("still");
      showMessage(`The recorded steps of this lecture can’t be shown (${String(error)}). The text below is complete.`);
    }
  });
};

initBlocks();
initCaptions();
initLanguageChoice();
initCards();
initTensors();
initOutline();
const plots = new Plots();
addEventListener("DOMContentLoaded", () => {
  if (loaded) return;
  layOut();
  root.classList.add("still");
  showMessage("The recorded steps are missing: steps.js, beside this page, could not be loaded. The text below is complete.");
});
