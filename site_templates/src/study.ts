// What a reader does with a run besides stepping: the passes of a line, the history of a variable, breakpoints, playing,
// guessing. Each is a file of its own; here they are joined.

import { announce, hideMessage, showMessage } from "./announce";
import { Breakpoints } from "./breakpoints";
import { lastAtMost } from "./columns";
import { ChangeIndex } from "./changes";
import { focusOn } from "./focus";
import { Histories } from "./history";
import type { Action } from "./keys";
import { Mark } from "./mark";
import type { Model } from "./model";
import { PassPicker } from "./pass_picker";
import { Passes } from "./passes";
import { Player } from "./play";
import { Predict } from "./predict";
import type { Rows } from "./rows";
import { ThisLine } from "./this_line";

/** What moves the page. */
export interface Stepper {
  at(): number;
  /** With an entry of its own in the history. */
  jump(step: number): void;
  advance(step: number): void;
  /** Says where the run stands. */
  say(): void;
  /** Whether what comes after the step is kept from the reader. */
  reveals(): boolean;
  /** Shows the state anew. */
  showState(): void;
  sitesOn(source: number, line: number): number[];
}

export class Study {
  readonly passes: Passes;
  readonly predict: Predict;
  readonly changes: ChangeIndex;
  private readonly breakpoints: Breakpoints;
  private readonly histories: Histories;
  private readonly picker: PassPicker;
  private readonly player: Player;
  private readonly thisLine = new ThisLine();
  readonly mark: Mark;
  private activation = -1;

  constructor(
    private readonly model: Model,
    rows: Rows,
    private readonly stepper: Stepper,
  ) {
    const changes = (this.changes = new ChangeIndex(model));
    const go = (step: number): void => stepper.jump(step);
    this.mark = new Mark(model);
    this.passes = new Passes(model);
    this.breakpoints = new Breakpoints(model, changes);
    this.breakpoints.changed = () => this.showLine();
    this.predict = new Predict(model, changes, rows, () => this.refresh());
    this.histories = new Histories(model, changes, this.breakpoints, () => this.reached(), go);
    this.picker = new PassPicker(model, this.passes, (step) => step > this.reached(), go);
    this.player = new Player({
      last: model.last,
      at: () => stepper.at(),
      advance: (step) => stepper.advance(step),
      reason: (step) => (this.predict.pending(step).length > 0 ? "Your guess." : this.breakpoints.reason(step)),
      ended: (why) => {
        if (why !== "") showMessage(why);
        stepper.say();
      },
    });
  }

  get playing(): boolean {
    return this.player.playing;
  }

  /** The last step of which the reader may see what it gave. */
  private reached(): number {
    const step = this.stepper.at();
    if (this.predict.pending(step).length > 0) return step - 1;
    return this.predict.on || this.stepper.reveals() ? step : this.model.last;
  }

  /** The state shows the variables of an activation. */
  attach(activation: number): void {
    this.activation = activation;
    const step = this.stepper.at();
    this.histories.attach(activation, step);
    this.predict.cover(step, activation);
  }

  /** Opens the history of any variable, where it last changed up to here, else where it first did. */
  openHistory(fn: number, name: string): void {
    const { steps } = this.changes.of(fn, name);
    if (this.model.functionOf(this.activation) !== fn || !this.histories.shows(name)) {
      this.stepper.jump(steps[Math.max(0, lastAtMost(steps, this.stepper.at()))]!);
    }
    this.histories.openNext(fn, name);
  }

  /** What may be seen has changed. */
  private refresh(): void {
    this.histories.refresh();
    this.predict.cover(this.stepper.at(), this.activation);
    this.showLine();
  }

  /** Brings the controls of the line to the step that the page shows. */
  showLine(): void {
    const step = this.stepper.at();
    const [source, line] = this.model.data.sites[this.model.site(step)]!;
    this.thisLine.show({
      line,
      pass: this.passes.index(step),
      passes: this.passes.all(step).length,
      stops: this.breakpoints.has(source, line),
      breakpoints: this.breakpoints.size,
      predicting: this.predict.on,
      score: this.predict.score,
    });
    this.mark.show(step);
  }

  act(action: Action): void {
    const step = this.stepper.at();
    if (["history", "predict", "guess"].includes(action) && document.documentElement.dataset.env === "off") {
      return showMessage("The state, where this is shown, is put away: E brings it back.");
    }
    switch (action) {
      case "first-pass": return this.goToPass(0);
      case "last-pass": return this.goToPass(-1);
      case "passes": return this.picker.open(step);
      case "history": return void (this.histories.toggleByKey() || showMessage("No variable is shown here."));
      case "break": return this.breakHere();
      case "watch": return this.watch();
      case "run": return this.runTo(1);
      case "run-back": return this.runTo(-1);
      case "clear-breaks": return this.breakpoints.clear();
      case "mark": return this.markStep(this.mark.step === step ? -1 : step);
      case "unmark": return this.markStep(-1);
      case "to-mark": return this.mark.step < 0 ? showMessage("No step is marked: m marks one.") : this.stepper.jump(this.mark.step);
      case "play":
        hideMessage();
        return this.player.toggle();
      case "faster":
      case "slower":
        this.player.change(action === "faster" ? 1 : -1);
        return announce(() => this.player.told);
      case "predict":
        this.predict.on = !this.predict.on;
        return this.refresh();
      case "guess": return this.toGuess();
    }
  }

  private markStep(step: number): void {
    this.mark.set(step);
    this.stepper.showState();
    this.showLine();
    announce(() => (step < 0 ? "No step is marked any more." : `Step ${step + 1} is marked.`));
  }

  private toGuess(): void {
    const { field } = this.predict;
    if (field) focusOn(field);
    else showMessage(this.predict.on ? "There is nothing to guess at this step." : "Guessing is off: Q turns it on.");
  }

  private goToPass(at: 0 | -1): void {
    const step = this.stepper.at();
    const all = this.passes.all(step);
    const wanted = all.at(at);
    if (wanted === undefined || wanted === this.passes.begin(step)) {
      return showMessage(all.length === 1 ? "This line ran once." : `This is the ${at === 0 ? "first" : "last"} pass of this line.`);
    }
    this.stepper.jump(wanted);
  }

  /** At the line whose number has the focus, else at the one that is shown. */
  private breakHere(): void {
    const number = document.activeElement?.closest<HTMLElement>(".row > a.n");
    if (number) return this.breakAt(number.parentElement!);
    const [source, line] = this.model.data.sites[this.model.site(this.stepper.at())]!;
    this.breakOn(source, line);
  }

  breakAt(row: HTMLElement): void {
    this.breakOn(Number(row.closest<HTMLElement>(".source")?.dataset.source ?? 0), Number(row.dataset.line));
  }

  private breakOn(source: number, wanted: number): void {
    hideMessage();
    const sites = this.stepper.sitesOn(source, wanted);
    if (this.model.timesRan(sites) === 0) {
      return showMessage(sites.length > 0 ? "This line never ran: a run does not stop here." : "There is no statement on this line to stop at.");
    }
    // Of a statement of several lines, the first.
    const [, line] = this.model.data.sites[sites[0]!]!;
    this.breakpoints.toggleLine(source, line, sites);
    const on = this.breakpoints.has(source, line);
    announce(() => (on ? `Breakpoint at line ${line}.` : `No breakpoint at line ${line} any more.`));
  }

  private watch(): void {
    const name = this.histories.toggleWatch();
    if (name === undefined) return showMessage("No variable is shown here.");
    const on = this.breakpoints.watches(this.model.functionOf(this.activation), name);
    announce(() => (on ? `Stops when ${name} changes.` : `No longer stops when ${name} changes.`));
  }

  private runTo(direction: 1 | -1): void {
    if (this.breakpoints.size === 0) return showMessage("There is no breakpoint. B sets one at this line, W one on a variable.");
    const step = this.breakpoints.next(this.stepper.at(), direction);
    if (step < 0) return showMessage(`No breakpoint is reached ${direction > 0 ? "after" : "before"} this step.`);
    this.stepper.jump(step);
    showMessage(this.breakpoints.reason(step));
  }
}

/** Pixels at the left of the gutter. */
const besideNumber = 14;

/** Whether a click of the mouse is beside a line's number rather than on it: there are the breakpoints. */
export function isBesideNumber(event: MouseEvent, number: Element): boolean {
  if (event.detail === 0 || (event as PointerEvent).pointerType === "touch") return false;
  const text = document.createRange();
  text.selectNodeContents(number);
  const left = number.getBoundingClientRect().left;
  return event.clientX < Math.min(left + besideNumber, text.getBoundingClientRect().left);
}
