// What the renderer compressed (engine/site/zstandard.h) and wrote as text, for scripts that load nothing else.

import { decompress } from "fzstd";

export function unpackedBytes(base64: string): Uint8Array {
  return decompress(Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)));
}
