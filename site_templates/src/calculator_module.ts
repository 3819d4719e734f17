// A module of calculators: the lecture's own functions, compiled to WebAssembly (engine/calculator/wasm_module.h). It comes as
// a classic script with its bytes, since a page from a folder may not fetch them.

import { loadScript } from "./element";
import { packedBytes } from "./one_file";
import type { Result } from "./calculator_result";

declare global {
  interface Window {
    lecternModule?: (name: string, base64: string) => void;
  }
}

export type Calculate = (name: string, inputs: readonly string[]) => Result;

interface Exports {
  memory: WebAssembly.Memory;
  _initialize?: () => void;
  lectern_inputs: (size: number) => number;
  [name: string]: unknown;
}

const loading = new Map<string, Promise<Calculate>>();
const arrived = new Map<string, string>();
window.lecternModule = (name, base64) => void arrived.set(name, base64);

export function loadModule(name: string): Promise<Calculate> {
  let module = loading.get(name);
  if (!module) loading.set(name, (module = load(name)));
  return module;
}

async function load(name: string): Promise<Calculate> {
  const bytes = packedBytes(`calculators/${name}`) ?? (await loadBytes(name));
  const compiled = await WebAssembly.compile(bytes as Uint8Array<ArrayBuffer>);
  const { exports } = await WebAssembly.instantiate(compiled, outside(compiled));
  const call = caller(exports as unknown as Exports);
  return (calculator, inputs) => {
    try {
      return call(calculator, inputs);
    } catch (error) {
      loading.delete(name); // it may have ended anywhere: the next call gets a new one
      throw error;
    }
  };
}

async function loadBytes(name: string): Promise<Uint8Array> {
  const src = `calculators/${name.split("/").map(encodeURIComponent).join("/")}.js`;
  await loadScript(src, `${src} could not be loaded`);
  const base64 = arrived.get(name);
  if (base64 === undefined) throw new Error(`${src} has no calculator`);
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
}

/** A calculator gets nothing from outside: what its library could ask the system for ends it. */
function outside(compiled: WebAssembly.Module): WebAssembly.Imports {
  const imports: WebAssembly.Imports = {};
  for (const { module, name } of WebAssembly.Module.imports(compiled)) {
    (imports[module] ??= {})[name] = () => {
      throw new Error(`the calculator ended (${name})`);
    };
  }
  return imports;
}

function caller(exports: Exports): Calculate {
  exports._initialize?.();
  return (name, inputs) => {
    const texts = new TextEncoder().encode(inputs.map((input) => `${input.replaceAll("\0", "")}\0`).join(""));
    const at = exports.lectern_inputs(texts.length) >>> 0;
    new Uint8Array(exports.memory.buffer).set(texts, at);
    const calculate = exports[name] as () => number;
    const begin = calculate() >>> 0;
    const memory = new Uint8Array(exports.memory.buffer);
    const json = new TextDecoder().decode(memory.subarray(begin, memory.indexOf(0, begin)));
    return JSON.parse(json) as Result;
  };
}
