// On paper the lecture has the values that the run ended with, wherever the reader is.

import type { Fragments } from "./fragments";
import type { Model } from "./model";

/** `at`: the step that the page shows; -1: it shows the end already. */
export function printTheEnd(model: Model, fragments: Fragments, at: () => number): void {
  let before = -1;
  const show = (step: number): void => fragments.update(step, model.activation[step]!);
  addEventListener("beforeprint", () => {
    before = at();
    if (before >= 0) show(model.last);
  });
  addEventListener("afterprint", () => {
    if (before >= 0) show(at());
  });
}
