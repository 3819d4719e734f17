// Amounts as engine/trace/cost_text.cpp writes them: with three digits and a prefix.

const prefixes = ["", "k", "M", "G", "T", "P", "E"];
const nanoseconds: Record<string, number> = { ns: 1, µs: 1e3, ms: 1e6, s: 1e9 };

function threeDigits(number: number): string {
  if (Math.abs(number) >= 999.5) return number.toFixed(0);
  // A number that is exactly halfway between two goes to the even one, not to the larger.
  const exact = number.toPrecision(40).replace(/0+$/, "");
  const falls = exact === number.toPrecision(4) && /[02468]\.?5$/.test(exact);
  return String(Number(falls ? exact.slice(0, -1) : number.toPrecision(3)));
}

export function duration(ns: number): string {
  if (ns < 1e3) return `${ns} ns`;
  if (ns < 999_500) return `${threeDigits(ns / 1e3)} µs`;
  if (ns < 999_500_000) return `${threeDigits(ns / 1e6)} ms`;
  return `${threeDigits(ns / 1e9)} s`;
}

export function quantity(count: number, unit = ""): string {
  let prefix = 0;
  for (; Math.abs(count) >= 999.5 && prefix + 1 < prefixes.length; ++prefix) count /= 1000;
  return `${threeDigits(count)} ${prefixes[prefix]!}${unit}`.trim();
}

export const perSecond = (count: number, ns: number): number => (ns > 0 ? (count / ns) * 1e9 : 0);

/** What such a text amounts to, for comparing it with others of its kind; of none, less than of any. */
export function amountOf(text: string): number {
  const [, digits, unit = ""] = /^(-?[\d.,]+)\s*(\S*)$/.exec(text.trim()) ?? [];
  if (digits === undefined) return -Infinity;
  const prefix = prefixes.indexOf(unit.replace(/(FLOP|B)$/, ""));
  return Number(digits.replaceAll(",", "")) * (nanoseconds[unit] ?? 1000 ** Math.max(0, prefix));
}
