// Numbers as the page writes them: with separators of thousands and a real minus.

const infinities: Record<string, number> = { inf: Infinity, infinity: Infinity, "∞": Infinity, nan: NaN };

/** Joins groups of three digits: 1,330,787 is 1330787. */
export function withoutSeparators(text: string): string {
  return text.replace(/(?<![\d.])\d{1,3}(?:,\d{3})+(?!\d)/g, (number) => number.replaceAll(",", ""));
}

/** The number that a text is; undefined when it is something else. */
export function numberOf(text: string): number | undefined {
  const plain = withoutSeparators(text.trim()).replace(/^−/, "-").replace("e−", "e-");
  if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain)) return Number(plain);
  const word = infinities[plain.replace(/^[+-]/, "").toLowerCase()];
  return word === undefined ? undefined : plain.startsWith("-") ? -word : word;
}
