// Serves a folder on loopback, in a thread of its own, so that what measures a page does not delay it. workerData: the folder.
// It says its port.

import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import { parentPort, workerData } from "node:worker_threads";

const types = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".woff2": "font/woff2", ".svg": "image/svg+xml", ".png": "image/png" };

const server = createServer(async (request, response) => {
  const path = normalize(decodeURIComponent(new URL(request.url, "http://localhost").pathname));
  try {
    const bytes = await readFile(join(workerData, path));
    response.writeHead(200, { "content-type": types[extname(path)] ?? "application/octet-stream" }).end(bytes);
  } catch {
    response.writeHead(404).end();
  }
});
server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));
