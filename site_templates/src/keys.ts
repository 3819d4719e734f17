// Which key does what. The letters and arrows are those of the original viewer.

export type Action =
  | "step" | "back" | "over" | "over-back" | "out" | "first" | "last" | "again" | "before"
  | "first-pass" | "last-pass" | "passes" | "history" | "break" | "watch" | "run" | "run-back" | "clear-breaks"
  | "mark" | "to-mark" | "unmark" | "embed" | "play" | "faster" | "slower" | "predict" | "guess"
  | "present" | "section" | "section-back" | "speaker" | "full-screen"
  | "copy-link" | "raw" | "reveal" | "env" | "costs" | "notes" | "outline" | "find" | "device" | "beside" | "theme" | "home" | "help";

/** For the help dialog: the keys as printed, and what they do. */
export const table: [string[], Action, string][] = [
  [["→", "l"], "step", "Step forward"],
  [["←", "h"], "back", "Step back"],
  [["↓", "j", "Shift →", "L"], "over", "Step over calls"],
  [["↑", "k", "Shift ←", "H"], "over-back", "Step back over calls"],
  [["u"], "out", "Step out of this function"],
  [["."], "again", "The next time that this line runs"],
  [[","], "before", "The time before that this line ran"],
  [["<"], "first-pass", "The first time that this line ran"],
  [[">"], "last-pass", "The last time that this line ran"],
  [["p"], "passes", "All passes of this line, with what each gave"],
  [["v"], "history", "The history of a variable"],
  [["b"], "break", "A breakpoint at this line, or none"],
  [["w"], "watch", "Stop when a variable changes, or not"],
  [["c"], "run", "On to the next breakpoint"],
  [["C"], "run-back", "Back to the breakpoint before"],
  [["m"], "mark", "Mark this step, to compare others with it"],
  [["M"], "to-mark", "To the marked step"],
  [["Y"], "embed", "Copy embed code: the steps since the marked one, else this section, for another page"],
  [["s"], "play", "Step by itself, or stop"],
  [["-"], "slower", "Slower"],
  [["+", "="], "faster", "Faster"],
  [["q"], "predict", "Guess what a line gives before it is shown"],
  [["i"], "guess", "To the guess"],
  [["]"], "section", "The next section"],
  [["["], "section-back", "The section before"],
  [["P"], "present", "Present: one section at a time, in large type"],
  [["S"], "speaker", "The speaker’s window: notes, the next section, the time"],
  [["x"], "full-screen", "Full screen"],
  [["y"], "copy-link", "Copy the link to this step"],
  [["a"], "reveal", "Show only what was reached"],
  [["r"], "raw", "The source as it was written"],
  [["e"], "env", "The state beside the code"],
  [["f"], "costs", "What each line cost, beside it"],
  [["n"], "notes", "The speaker’s notes"],
  [["o"], "outline", "The outline"],
  [["Ctrl K", "⌘ K"], "find", "Find a section, function, variable, line, step or command"],
  [["d"], "device", "The same step, as it ran on another device"],
  [["D"], "beside", "This lecture and the same in another language side by side, or one of them alone"],
  [["t"], "theme", "Light or dark"],
  [["g"], "home", "To the list of lectures"],
  [["?"], "help", "These keys"],
];

/** Without Shift, and with it. */
const arrows: Record<string, [Action, Action]> = {
  ArrowRight: ["step", "over"], ArrowLeft: ["back", "over-back"], ArrowDown: ["over", "over"], ArrowUp: ["over-back", "over-back"],
};
/** By the table; a capital that is not in it does what the small letter does. */
const singles = new Map(table.flatMap(([keys, action]) => keys.map((key) => [key, action] as const)));
for (const [key, action] of [...singles]) if (!singles.has(key.toUpperCase())) singles.set(key.toUpperCase(), action);

/** The action of a key press, or undefined when the key is not for the stepper. `single`: single-key shortcuts are on. */
export function actionOf(event: KeyboardEvent, single: boolean): Action | undefined {
  if (event.defaultPrevented || event.isComposing || event.altKey) return undefined;
  // A dialog that was just closed keeps the focus until the next frame.
  const target = event.target instanceof Element && !event.target.closest("dialog:not([open])") ? event.target : document.body;
  if (target.closest("dialog")) return undefined;
  if (event.ctrlKey || event.metaKey) return event.key.toLowerCase() === "k" && !event.shiftKey ? "find" : undefined;
  const slider = target.id === "progress";
  if (!slider && target.closest("input, textarea, select, [contenteditable]")) return undefined;
  const arrow = arrows[event.key]?.[event.shiftKey ? 1 : 0];
  if (arrow) {
    // A plain arrow on the slider is the slider's; elsewhere arrows scroll, select and read, unless nothing has focus.
    if (slider) return event.shiftKey ? arrow : undefined;
    const free = target === document.body || target === document.documentElement || target.localName === "main";
    return free || target.closest(".bar") ? arrow : undefined;
  }
  return single ? singles.get(event.key) : undefined;
}
