// Draws plots as SVG, for `lectern render`:
//
//   node draw_plots.mjs JOBS RESULTS SECONDS
//
// JOBS is a JSON list of {spec, width, height}, spec being the text of a Vega-Lite specification. Each becomes a line of RESULTS
// once it is drawn: {job: its number, svg} or {job, error}. A plot that takes longer than SECONDS is given up; as many are drawn
// at a time as there are processors. A specification is data of others: it is drawn in a context without files, network and
// Node.js (src/plot/still.ts), where no text becomes code, with bounded memory.

import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { createContext, Script } from "node:vm";
import { fileURLToPath } from "node:url";

function serve() {
  const context = createContext(Object.create(null), { codeGeneration: { strings: false, wasm: false } });
  new Script(workerData).runInContext(context);
  parentPort.on("message", async ({ spec, width, height }) => {
    try {
      parentPort.postMessage({ svg: String(await context.lecternStill(spec, width, height)) });
    } catch (error) {
      parentPort.postMessage({ error: String(error?.message ?? error) });
    }
  });
  parentPort.postMessage({ ready: true });
}

function drawAll(jobsFile, resultsFile, seconds) {
  const bundle = readFileSync(new URL("draw_plots.bundle.js", import.meta.url), "utf8");
  const jobs = JSON.parse(readFileSync(jobsFile, "utf8"));
  let next = 0;
  const say = (job, result) => appendFileSync(resultsFile, `${JSON.stringify({ job, ...result })}\n`);

  const startWorker = () => {
    if (next >= jobs.length) return;
    const worker = new Worker(fileURLToPath(import.meta.url), { workerData: bundle, resourceLimits: { maxOldGenerationSizeMb: 1024 } });
    let job;
    let timer;
    // Not the worker's own end, which a drawing may keep it from.
    const giveUp = (error) => {
      clearTimeout(timer);
      worker.removeAllListeners();
      worker.on("error", () => {});
      void worker.terminate();
      if (job === undefined && next < jobs.length) job = next++; // it did not even start
      if (job !== undefined) say(job, { error });
      startWorker();
    };
    worker.on("error", (error) => giveUp(error?.code === "ERR_WORKER_OUT_OF_MEMORY" ? "it takes more than 1 GB of memory" : String(error?.message ?? error)));
    worker.on("message", (result) => {
      clearTimeout(timer);
      if (!result.ready) say(job, result);
      job = undefined;
      if (next >= jobs.length) return void worker.terminate();
      job = next++;
      timer = setTimeout(giveUp, seconds * 1000, `it takes longer than ${seconds} s`);
      worker.postMessage(jobs[job]);
    });
  };
  writeFileSync(resultsFile, "");
  for (let i = 0; i < Math.min(cpus().length, jobs.length); ++i) startWorker();
}

if (isMainThread) drawAll(process.argv[2], process.argv[3], Number(process.argv[4]));
else serve();
