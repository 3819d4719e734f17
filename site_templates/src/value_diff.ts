// What changed within a value: elements, fields and cells that another value had otherwise, or not at all.

/** Larger fragments are not looked into: a step must stay fast. */
const largest = 60_000;
/** What a tensor has besides its elements follows from them. */
const derived = ".figures, .histogram, .layout, .facts, .storage, .cut, .tree > summary";

/** Marks in a shown value what `old`, the fragment of the value before, had otherwise. Returns how much that is. */
export function markDifferences(body: Element, old: string): number {
  clearDifferences(body);
  if (old.length > largest) return 0;
  const template = document.createElement("template");
  template.innerHTML = old;
  const before = document.createElement("div");
  before.append(template.content);
  const found: Element[] = [];
  const leaves = compareChildren(body, before, found);
  // A mark says something only where there is something without.
  if (found.length === 0 || found.length === leaves || found.includes(body)) return 0;
  for (const element of found) element.classList.add("differs");
  return found.length;
}

export function clearDifferences(body: Element): void {
  for (const element of body.querySelectorAll(".differs")) {
    element.classList.remove("differs");
    if (element.className === "") element.removeAttribute("class");
  }
}

/** Collects the parts of `now` that differ. Returns how many parts could have. */
function compareChildren(now: Element, before: Element, found: Element[]): number {
  const parts = partsOf(now);
  if (parts.length === 0) {
    if (now.textContent !== before.textContent) found.push(now);
    return 1;
  }
  const others = partsOf(before);
  // A grid of another shape is another grid.
  if (now.matches("table.grid, table.grid *") && parts.length !== others.length) {
    found.push(now);
    return 1;
  }
  const known = new Map(others.map((part, index) => [keyOf(part, index), part]));
  let leaves = 0;
  parts.forEach((part, index) => {
    const other = known.get(keyOf(part, index));
    if (part.localName === "dt" || part.localName === "th") return;
    if (other && other.localName === part.localName) {
      leaves += compareChildren(part, other, found);
    } else {
      found.push(part);
      leaves += 1;
    }
  });
  return leaves;
}

function partsOf(element: Element): Element[] {
  if (element.localName === "code" || element.matches("details:not(.tree)")) return [];
  return [...element.children].filter((child) => !child.matches(derived));
}

/** Fields and entries are those of one name, all else of one place. */
function keyOf(part: Element, index: number): string {
  if (part.localName === "dd") return `dd ${part.previousElementSibling?.textContent ?? ""}`;
  if (part.localName === "tr") {
    const head = part.querySelector(":scope > th")?.textContent;
    if (head !== undefined && head !== null && part.closest("table.map")) return `tr ${head}`;
  }
  return `${index}`;
}
