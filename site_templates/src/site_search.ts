// What a page finds in the other lectures of its site. The search and what it searches are loaded on use.

import { loadScript } from "./element";
import type { Entry } from "./find_rank";
import { inOneFile } from "./one_file";
import type {} from "./search";

export class SiteSearch {
  private loaded: Promise<unknown> | undefined;
  /** Why the other lectures are not searched. */
  problem = "";
  /** The site's folder. */
  private readonly root: string;

  /** The name of the lecture whose page this is, which is not searched. */
  private readonly here: string;

  constructor(onLecture = false) {
    const style = document.querySelector<HTMLLinkElement>('link[href$="assets/style.css"]');
    this.root = style ? new URL("../", style.href).href : ""; // a page in a single file is alone
    this.here = onLecture ? decodeURIComponent(location.href.slice(this.root.length).split("/")[0]!) : "";
  }

  /** Settled when find() has all lectures to search, or never will: the page is searched without them. */
  load(): Promise<unknown> {
    return (this.loaded ??= inOneFile() ? Promise.resolve() : this.bring());
  }

  private async bring(): Promise<void> {
    for (const path of ["assets/search.js", "search.js"]) await loadScript(this.root + path, "").catch(() => {});
    if (!window.lecternLectures) this.problem = "The other lectures can’t be searched: search.js, of the site, could not be loaded.";
  }

  find(query: string, most: number): Entry[] {
    const found = query.trim() === "" ? [] : (window.lecternLectures?.best(query, most, this.here) ?? []);
    return found.map(({ kind, label, lecture, title, anchor }) => ({
      kind, label, detail: title, go: () => location.assign(`${this.root}${encodeURIComponent(lecture)}/index.html#${encodeURIComponent(anchor)}`),
    }));
  }
}
