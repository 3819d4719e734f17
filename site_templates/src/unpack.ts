// Unpacks the values of large pages, which come compressed (fragment_files.ts).

import { unpackedBytes } from "./zstandard";

(window as unknown as { lecternUnpack: typeof unpackedBytes }).lecternUnpack = unpackedBytes;
