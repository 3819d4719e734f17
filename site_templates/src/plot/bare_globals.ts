// What is not JavaScript's own and Vega asks for nevertheless: timers, with which it waits for
// pictures, of which there are none, and with which Vega-Lite copies specifications.

function copy<T>(value: T): T {
  if (Array.isArray(value)) return value.map(copy) as T;
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copy(member as unknown)])) as T;
}
globalThis.setTimeout ??= ((run: () => void) => void Promise.resolve().then(run)) as unknown as typeof setTimeout;
globalThis.setInterval ??= (() => 0) as unknown as typeof setInterval; // animations: there are none
globalThis.structuredClone ??= copy;

export {};
