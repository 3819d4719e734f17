// Tensors: which of them share a storage, and whether their elements are shaded.

import { make } from "./element";
import { save } from "./storage";

const root = document.documentElement;

/** The marks of the storages that a variable uses, each once. */
function storagesOf(variable: Element): Map<string, HTMLElement> {
  const marks = variable.querySelectorAll<HTMLElement>(".value .storage");
  return new Map([...marks].map((mark) => [mark.dataset.storage ?? "", mark]));
}

/** Lists beside each variable the others that use the same storage. The values themselves stay as they are. */
export function markShared(panel: Element): void {
  const variables = [...panel.querySelectorAll(".var")].map((element) => ({
    head: element.querySelector<HTMLElement>("header")!,
    name: element.querySelector(".b")?.textContent ?? "",
    storages: storagesOf(element),
  }));
  for (const { head, name, storages } of variables) {
    const marks: HTMLElement[] = [];
    const extents: HTMLElement[] = [];
    for (const [storage, inside] of storages) {
      const others = variables.filter((other) => other.name !== name && other.storages.has(storage));
      if (others.length === 0) continue;
      const mark = inside.cloneNode(true) as HTMLElement;
      mark.classList.add("shared");
      mark.tabIndex = 0;
      mark.append(`, with ${others.map((other) => other.name).join(", ")}`);
      marks.push(mark);
      extents.push(...drawExtent(mark));
    }
    const key = marks.map((mark) => mark.textContent).join("; ");
    if ((head.dataset.shared ?? "") === key) continue;
    head.dataset.shared = key;
    for (const mark of head.querySelectorAll(":scope > :is(.storage, .extent)")) mark.remove();
    head.append(...marks, ...extents);
  }
}

/** Another value has come: what was said beside the variable was about the one before. */
export function forgetShared(head: HTMLElement): void {
  if (head.dataset.shared === undefined) return;
  delete head.dataset.shared;
  for (const mark of head.querySelectorAll(":scope > :is(.storage, .extent)")) mark.remove();
}

/** The bytes of the storage that the tensor spans, as a bar that is as long for each tensor that shares it. */
function drawExtent(mark: HTMLElement): HTMLElement[] {
  const [bytes, from, to] = [mark.dataset.bytes, mark.dataset.from, mark.dataset.to].map(Number) as [number, number, number];
  if (!(bytes > 0)) return [];
  const bar = make("span", { className: `extent ${mark.classList[1]}`, title: `Bytes ${from.toLocaleString("en")} to ${to.toLocaleString("en")} of ${bytes.toLocaleString("en")}` });
  bar.setAttribute("role", "img");
  bar.setAttribute("aria-label", bar.title);
  bar.style.setProperty("--from", String(from / bytes));
  bar.style.setProperty("--to", String(to / bytes));
  return [bar];
}

/** Highlights all marks of the storage that the pointer or the focus is on. */
function highlightStorage(target: EventTarget | null): void {
  const storage = target instanceof Element ? target.closest<HTMLElement>(".storage")?.dataset.storage : undefined;
  for (const mark of document.querySelectorAll<HTMLElement>(".storage")) {
    mark.classList.toggle("joined", storage !== undefined && mark.dataset.storage === storage);
  }
}

export function initTensors(): void {
  document.addEventListener("mouseover", (event) => {
    if ((event.target as Element).closest(".storage") || document.querySelector(".joined")) highlightStorage(event.target);
  });
  document.addEventListener("focusin", (event) => highlightStorage(event.target));
  document.addEventListener("focusout", () => highlightStorage(null));
  document.addEventListener("click", (event) => {
    if (!(event.target as Element).closest(".legend")) return;
    root.dataset.shades = root.dataset.shades === "off" ? "on" : "off";
    save("shades", root.dataset.shades);
  });
}
