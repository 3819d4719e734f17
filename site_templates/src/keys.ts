// Which key does what. The letters and arrows are those of the original viewer.

export type Action =
  | "step" | "back" | "over" | "over-back" | "out" | "first" | "last" | "again" | "before"
  | "raw" | "reveal" | "env" | "notes" | "theme" | "home" | "help";

/** For the help dialog: the keys as printed, and what they do. */
export const table: [string[], Action, string][] = [
  [["→", "l"], "step", "Step forward"],
  [["←", "h"], "back", "Step back"],
  [["↓", "j", "Shift →", "L"], "over", "Step over calls"],
  [["↑", "k", "Shift ←", "H"], "over-back", "Step back over calls"],
  [["u"], "out", "Step out of this function"],
  [["."], "again", "The next time that this line runs"],
  [[","], "before", "The time before that this line ran"],
  [["a"], "reveal", "Show only what was reached"],
  [["r"], "raw", "The source as it was written"],
  [["e"], "env", "The state beside the code"],
  [["n"], "notes", "The speaker’s notes"],
  [["t"], "theme", "Light or dark"],
  [["g"], "home", "To the list of lectures"],
  [["?"], "help", "These keys"],
];

const arrows: Record<string, Action> = {
  ArrowRight: "step", ArrowLeft: "back", ArrowDown: "over", ArrowUp: "over-back",
};
const shiftArrows: Record<string, Action> = {
  ArrowRight: "over", ArrowLeft: "over-back", ArrowDown: "over", ArrowUp: "over-back",
};
const letters: Record<string, Action> = {
  l: "step", h: "back", j: "over", k: "over-back", L: "over", H: "over-back", J: "over", K: "over-back",
  u: "out", U: "out", ".": "again", ",": "before", r: "raw", R: "raw", a: "reveal", A: "reveal", e: "env", E: "env", n: "notes", N: "notes",
  t: "theme", T: "theme", g: "home", G: "home", "?": "help",
};

/** The action of a key press, or undefined when the key belongs to someone else. `single`: single-key shortcuts are on. */
export function actionOf(event: KeyboardEvent, single: boolean): Action | undefined {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.altKey || event.metaKey) return undefined;
  const target = event.target instanceof Element ? event.target : document.body;
  if (target.closest("dialog")) return undefined;
  const slider = target.id === "progress";
  if (!slider && target.closest("input, textarea, select, [contenteditable]")) return undefined;
  const arrow = event.shiftKey ? shiftArrows[event.key] : arrows[event.key];
  if (arrow) {
    // A plain arrow on the slider is the slider's; elsewhere arrows scroll, select and read, unless nothing has focus.
    if (slider) return event.shiftKey ? arrow : undefined;
    const free = target === document.body || target === document.documentElement || target.localName === "main";
    return free || target.closest(".bar") ? arrow : undefined;
  }
  return single && Object.hasOwn(letters, event.key) ? letters[event.key] : undefined;
}
