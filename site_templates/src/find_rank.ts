// How well what the reader typed fits what can be found.

export type Kind = "step" | "section" | "function" | "variable" | "command" | "line" | "text";

export interface Entry {
  kind: Kind;
  /** What is matched, and shown. */
  label: string;
  /** Shown beside it. */
  detail: string;
  go(): void;
}

/** At equal fit. */
const weights: Record<Kind, number> = { step: 9, section: 6, function: 5, variable: 4, command: 3, line: 1, text: 0 };

/** Letters without their marks, in one case. */
export function fold(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

/** Of a word in a text; 0: it does not fit. */
function fit(word: string, text: string, loose: boolean): number {
  const at = text.indexOf(word);
  if (at === 0) return text.length === word.length ? 100 : 80;
  if (at > 0) {
    for (let next = at; next > 0; next = text.indexOf(word, next + 1)) {
      if (!/[\p{L}\p{N}]/u.test(text[next - 1]!)) return 60;
    }
    return 40;
  }
  return loose && word.length > 1 && isSubsequence(word, text) ? 15 : 0;
}

function isSubsequence(word: string, text: string): boolean {
  let at = -1;
  for (const letter of word) if ((at = text.indexOf(letter, at + 1)) < 0) return false;
  return true;
}

export class Ranking {
  private readonly folded: string[];

  constructor(private readonly entries: readonly Entry[]) {
    this.folded = entries.map(({ label }) => fold(label));
  }

  /** The entries in which every word of the query is, the best ones first. */
  best(query: string, most: number): Entry[] {
    const words = fold(query).split(/\s+/).filter((word) => word !== "");
    const found: { entry: Entry; score: number }[] = [];
    this.entries.forEach((entry, index) => {
      const text = this.folded[index]!;
      const loose = entry.kind !== "line" && entry.kind !== "text";
      let score = words.length === 0 ? (loose ? 1 : 0) : Infinity;
      for (const word of words) score = Math.min(score, fit(word, text, loose));
      if (score > 0) found.push({ entry, score: score + weights[entry.kind] - Math.min(text.length, 200) / 100 });
    });
    // Stable: what is alike stays in the order of the page.
    return found.sort((a, b) => b.score - a.score).slice(0, most).map(({ entry }) => entry);
  }
}
