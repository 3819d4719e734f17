// Opens a page in a single file: unpacks what came with it (engine/site/pack.h), puts in their places the parts that only
// scripts show, and runs the page's scripts.

import { runPacked } from "./one_file";
import { unpackedBytes } from "./zstandard";

interface Index {
  files: [name: string, size: number][];
  scripts: string[];
  parts: string[];
}

function unpack(base64: string): Index {
  const bytes = unpackedBytes(base64);
  const from = 4 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const index = JSON.parse(new TextDecoder().decode(bytes.subarray(4, from))) as Index;
  const files = new Map<string, Uint8Array>();
  let at = from;
  for (const [name, size] of index.files) files.set(name, bytes.subarray(at, (at += size)));
  window.lecternFiles = files;
  return index;
}

try {
  const packed = document.getElementById("packed")!;
  const { scripts, parts } = unpack(packed.textContent!);
  packed.remove();
  document.querySelectorAll("template.packed").forEach((place, number) => (place.outerHTML = parts[number] ?? ""));
  const shown = new Map<string, string>();
  for (const element of document.querySelectorAll<HTMLElement>("[data-file]:is([src], [href])"))
    shown.set(element.dataset.file!, (element.getAttribute("src") ?? element.getAttribute("href"))!);
  for (const video of document.querySelectorAll<HTMLVideoElement>("video[data-poster]")) shown.set(video.dataset.poster!, video.poster);
  window.lecternShown = shown;
  for (const link of document.querySelectorAll<HTMLAnchorElement>("a[data-file]:not([href])")) link.href = shown.get(link.dataset.file!) ?? "";
  for (const name of scripts) runPacked(name);
} catch (error) {
  document.documentElement.classList.add("still");
  const message = document.getElementById("message")!;
  message.querySelector("p")!.textContent = `The recorded steps in this file can’t be read (${String(error)}). The text below is complete.`;
  message.hidden = false;
}
