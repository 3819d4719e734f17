// What the renderer compressed (engine/site/zstandard.h) and wrote as text, for scripts that load nothing else.

import { decompress } from "fzstd";

export function unpackedBytes(base64: string): Uint8Array {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = text.charCodeAt(i);
  return decompress(bytes);
}
