// The other processes of a run: ranks.js beside the page, one call, `lecternRanks({...})`, written by engine/site/ranks.cpp. It is
// asked for once the page can be stepped.

import { loadBeside } from "./beside_page";
import type { Column, PageData } from "./data";

/** By step: "all_reduce · 24 B sent, 24 B received". */
export type Calls = Record<string, string>;

export interface RankData {
  rank: number;
  /** By step of rank 0, the step of this rank that goes with it; -1: it has not begun. */
  beside: Column;
  /** The steps of rank 0 at which this rank stays where it is. */
  alone: Column;
  calls: Calls;
  /** By site, as written; of those that ran. */
  statements: string[];
  /** Its run, without what it showed. */
  page: PageData;
}

export interface RanksData {
  /** Of rank 0. */
  calls: Calls;
  ranks: RankData[];
}

/** Calls back once they are there; on a page whose ranks.js is missing, never. */
export async function loadRanks(use: (data: RanksData) => void): Promise<void> {
  const data = await loadBeside<RanksData>("ranks.js", "lecternRanks", "The other ranks");
  if (data) use(data);
}
