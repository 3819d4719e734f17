// The fragments of HTML that did not come with the steps: files of them, loaded when a step shows one of theirs, and the ones
// beside, since that is where the reader goes next.

import { showMessage } from "./announce";
import type { RunData } from "./run_data";
import { loadScript } from "./element";
import { withOwnFiles } from "./one_file";

/** What unpacks them: few pages need it. */
const unpacker = (document.currentScript?.getAttribute("src") ?? "").replace(/[^/]*$/, "unpack.js");

/** Files that are kept, and so some megabytes of memory, however long the lecture. */
const kept = 24;

interface Arrived {
  first: number;
  html?: string[];
  /** In its place: its JSON, compressed (engine/site/zstandard.h). */
  packed?: string;
}

export class FragmentFiles {
  private readonly firsts: readonly number[];
  /** By file; the ones used last are at the end. */
  private readonly arrived = new Map<number, string[]>();
  private readonly loading = new Set<number>();
  private readonly missing = new Set<number>();
  private readonly waited = new Set<number>();
  private unpacking: Promise<void> | undefined;
  /** Of what has come. */
  private unpacked = Promise.resolve();
  /** Called when fragments that were asked for in vain have come, or cannot. */
  came: () => void = () => {};

  constructor(private readonly data: RunData) {
    this.firsts = data.files.map(([first]) => first);
    // Where none is to arrive, another run's may be.
    if (this.firsts.length > 0) (window as unknown as { lecternFragments: (arrived: Arrived) => void }).lecternFragments = (arrived) => this.take(arrived);
  }

  /** A fragment; undefined: it is not there yet. */
  get(number: number): string | undefined {
    const { html } = this.data;
    if (number < html.length) return withOwnFiles(html[number] ?? "");
    const after = this.firsts.findIndex((first) => first > number);
    const file = (after < 0 ? this.firsts.length : after) - 1;
    for (const beside of [file + 1, file - 1]) this.load(beside);
    const fragments = this.arrived.get(file);
    if (fragments) {
      this.arrived.delete(file);
      this.arrived.set(file, fragments);
      return withOwnFiles(fragments[number - this.firsts[file]!] ?? "");
    }
    if (!this.missing.has(file)) this.waited.add(file);
    this.load(file);
    this.tell();
    return undefined;
  }

  /** Whether what was asked for is still to come. */
  get waits(): boolean {
    return this.waited.size > 0;
  }

  private load(file: number): void {
    const name = this.data.files[file]?.[1];
    if (name === undefined || this.arrived.has(file) || this.loading.has(file) || this.missing.has(file)) return;
    this.loading.add(file);
    const missing = `fragments/${name}, beside this page, could not be loaded`;
    const done = (error?: Error): void => {
      this.loading.delete(file);
      if (!this.arrived.has(file)) this.missing.add(file);
      if (!this.waited.delete(file)) return this.tell();
      if (this.missing.has(file)) {
        showMessage(`Some values can’t be shown in full: ${error?.message ?? missing}. Stepping goes on without them.`);
      }
      this.came();
      this.tell();
    };
    loadScript(`fragments/${name}`, missing).then(() => this.unpacked).then(() => done(), done);
  }

  private take({ first, html, packed = "" }: Arrived): void {
    const file = this.firsts.indexOf(first);
    if (file < 0) return;
    if (html) return this.keep(file, html);
    this.unpacked = (this.unpacking ??= loadScript(unpacker, "unpack.js, among the site’s assets, could not be loaded")).then(() => {
      const { lecternUnpack } = window as unknown as { lecternUnpack: (base64: string) => Uint8Array };
      this.keep(file, JSON.parse(new TextDecoder().decode(lecternUnpack(packed))) as string[]);
    });
  }

  private keep(file: number, html: string[]): void {
    this.arrived.set(file, html);
    for (const oldest of this.arrived.keys()) {
      if (this.arrived.size <= kept) break;
      this.arrived.delete(oldest);
    }
  }

  /** The state says that it waits; what is drawn of that, only if it takes long (panel.css). */
  private tell(): void {
    const env = document.querySelector(".env")!;
    if (this.waits) env.setAttribute("aria-busy", "true");
    else env.removeAttribute("aria-busy");
  }
}
