// Searching all lectures: an index, made when a reader first asks, of what search.js of the site brings.

import MiniSearch, { type SearchResult } from "minisearch";
import { fold, type Kind } from "./find_rank";
import { unpackedBytes } from "./zstandard";

/** As site_search.h of the renderer writes them. */
type Written = [kind: number, text: string, anchor: string, fn?: string, value?: string];
type WrittenLecture = [names: [name: string, title: string], entries: Written[]];

export interface Found {
  kind: Kind;
  label: string;
  lecture: string;
  title: string;
  anchor: string;
}

interface Document {
  id: number;
  text: string;
  detail: string;
}

const kinds: readonly Kind[] = ["section", "text", "line", "function", "variable"];
const weights: Partial<Record<Kind, number>> = { section: 3, function: 2.5, variable: 1.5, line: 0.8 };

/** Writing without blanks between words. */
const unspaced = ["Han", "Hiragana", "Katakana", "Hangul", "Thai"].map((script) => `\\p{Script=${script}}`).join("");
const runs = new RegExp(`[${unspaced}]+|[^${unspaced}]+`, "gu");
const isUnspaced = new RegExp(`^[${unspaced}]`, "u");

/** Characters, which are searched for only where there is just one, and pairs of them. */
function parts(run: string, indexed: boolean): string[] {
  if (!isUnspaced.test(run)) return [run];
  const letters = [...run];
  const pairs = letters.slice(1).map((letter, at) => letters[at]! + letter);
  return indexed || pairs.length === 0 ? [...letters, ...pairs] : pairs;
}

/** Words; of writing without blanks, its parts. `indexed`: with those of namesLikeThis. */
function words(text: string, indexed: boolean): string[] {
  const all: string[] = [];
  for (const [word] of text.matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    for (const [run] of fold(word).matchAll(runs)) all.push(...parts(run, indexed));
    const within = indexed ? word.split(/(?<=\p{Ll})(?=\p{Lu})/u) : [];
    if (within.length > 1) all.push(...within.map(fold));
  }
  return all;
}

class LectureSearch {
  private readonly entries: Found[] = [];
  private readonly index = new MiniSearch<Document>({
    fields: ["text", "detail"],
    tokenize: (text) => words(text, true),
    processTerm: (term) => term,
    searchOptions: {
      tokenize: (text) => words(text, false),
      combineWith: "AND",
      prefix: true,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      boost: { text: 2 },
      boostDocument: (id) => weights[this.entries[id as number]!.kind] ?? 1,
    },
  });

  constructor(lectures: readonly WrittenLecture[]) {
    const documents: Document[] = [];
    for (const [[lecture, title], entries] of lectures) {
      for (const [kind, text, anchor, ...detail] of entries) {
        documents.push({ id: this.entries.length, text, detail: detail.join(" ") });
        const label = [text, ...detail].join(", ");
        this.entries.push({ kind: kinds[kind] ?? "text", label, lecture, title, anchor });
      }
    }
    this.index.addAll(documents);
  }

  /** The best entries of the lectures but `except`. */
  best(query: string, most: number, except: string): Found[] {
    const options = { filter: ({ id }: SearchResult) => this.entries[id as number]!.lecture !== except };
    return this.index.search(query, options).slice(0, most).map(({ id }) => this.entries[id as number]!);
  }
}

export type { LectureSearch };

declare global {
  interface Window {
    lecternSearch?: (packed: string) => void;
    lecternLectures?: LectureSearch;
  }
}

window.lecternSearch = (packed) => {
  const lectures = JSON.parse(new TextDecoder().decode(unpackedBytes(packed))) as WrittenLecture[];
  window.lecternLectures = new LectureSearch(lectures);
};
