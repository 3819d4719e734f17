// A page in a single file (engine/site/single_file.h) loads nothing: what other pages load is packed in it, and open.ts takes
// it out. Its scripts run as inline ones, which its policy names by their hashes.

declare global {
  interface Window {
    /** Contents of files by their names, where the page is in a single file. */
    lecternFiles?: ReadonlyMap<string, Uint8Array>;
    /** Files that the page showed when it was opened, as data: URLs: stepping takes their elements away. */
    lecternShown?: ReadonlyMap<string, string>;
  }
}

export function inOneFile(): boolean {
  return window.lecternFiles !== undefined;
}

export function packedBytes(name: string): Uint8Array | undefined {
  return window.lecternFiles?.get(name);
}

export function packedText(name: string): string | undefined {
  const bytes = packedBytes(name);
  return bytes && new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

/** Runs a script of the file; says whether there is one of that name. */
export function runPacked(name: string): boolean {
  const text = packedText(name);
  if (text === undefined) return false;
  const script = document.createElement("script");
  script.textContent = text;
  document.head.append(script);
  script.remove();
  return true;
}

/** Where a link in a fragment leads: links to other pages of the site, below the page's address on the web if it has one. */
function ownLink(match: string, address: string, download = " download"): string {
  if (/^(#|\/|[a-z][a-z0-9+.-]*:)/i.test(address)) return match;
  const web = document.querySelector<HTMLLinkElement>('link[rel="canonical"]')?.href;
  const file = shownFile(address);
  if (file !== undefined) return ` href="${file}"${download}`;
  return web === undefined ? "" : ` href="${new URL(address, web).href.replaceAll('"', "%22")}"`;
}

/** A file that the lecture shows, as data. */
function shownFile(name: string): string | undefined {
  return window.lecternShown?.get(name) ?? packedText(name);
}

/** A fragment of HTML as this page can show it: with the files in it that it shows. */
export function withOwnFiles(html: string): string {
  if (!inOneFile() || !/ (src|poster|href)="/.test(html)) return html;
  return html
    .replace(/ (src|poster)="(assets\/[^"]*)"/g, (_, attribute: string, name: string) => ` ${attribute}="${shownFile(name) ?? ""}"`)
    .replace(/ href="([^"]*)"( download="[^"]*")?/g, ownLink);
}
