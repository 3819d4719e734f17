// A value as NumPy, C++ or JSON writes it.

import type { Data } from "./value_data";

export type Language = "NumPy" | "C++" | "JSON";
type Tensor = Extract<Data, { kind: "tensor" }>;

/** How a language writes the parts of a value. */
interface Notation {
  number(text: string): string;
  word(text: string): string;
  string(literal: string): string;
  list(items: string[]): string;
  map(entries: [string, string][]): string;
  object(fields: [string, string][]): string;
  tensor(tensor: Tensor): string;
}

const notations: Record<Language, Notation> = {
  NumPy: {
    number: (text) => special(text, "np.nan", "np.inf") ?? ({ true: "True", false: "False" }[text] || text),
    word: (text) => (/^(null|nullptr|none|empty|nullopt)$/i.test(text) ? (text === "empty" ? "[]" : "None") : JSON.stringify(text)),
    string: (literal) => JSON.stringify(textOf(literal)),
    list: (items) => `[${items.join(", ")}]`,
    map: (entries) => `{${entries.map(([key, value]) => `${key}: ${value}`).join(", ")}}`,
    object: (fields) => `{${fields.map(([name, value]) => `${JSON.stringify(name)}: ${value}`).join(", ")}}`,
    tensor(tensor) {
      const known = /^(float(16|32|64)|u?int(8|16|32|64)|bool)$/.test(tensor.dtype);
      const dtype = `np.${known ? (tensor.dtype === "bool" ? "bool_" : tensor.dtype) : "float32"}`;
      const note = known ? "" : `  # ${tensor.dtype}`;
      if (tensor.shape.includes(0)) return `np.empty((${tensor.shape.join(", ")},), dtype=${dtype})${note}`;
      return `np.array(${this.list(tensor.elements.map((each) => this.number(each)))}, dtype=${dtype})${reshaped(tensor, ".reshape(", ")")}${note}`;
    },
  },
  "C++": {
    number: (text) => special(text, "NAN", "INFINITY") ?? text,
    word: (text) => (text === "empty" ? "{}" : text),
    string: (literal) => literal,
    list: (items) => `{${items.join(", ")}}`,
    map: (entries) => `{${entries.map(([key, value]) => `{${key}, ${value}}`).join(", ")}}`,
    object: (fields) => `{${fields.map(([name, value]) => `.${name} = ${value}`).join(", ")}}`,
    tensor(tensor) {
      const options = `{.dtype = ${tensor.dtype === "bool" ? "bool_" : tensor.dtype}}`;
      if (tensor.shape.includes(0)) return `empty({${tensor.shape.join(", ")}}, ${options})`;
      const elements = tensor.elements.map((each) => this.number(each));
      return `tensor(${tensor.shape.length === 0 ? elements[0] : this.list(elements)}, ${options})${reshaped(tensor, ".view({", "})")}`;
    },
  },
  JSON: {
    number: (text) => special(text, '"NaN"', '"Infinity"')?.replace('-"', '"-') ?? text,
    word: (text) => (text === "empty" ? "[]" : /^(null|nullptr|none|nullopt)$/i.test(text) ? "null" : JSON.stringify(text)),
    string: (literal) => JSON.stringify(textOf(literal)),
    list: (items) => `[${items.join(", ")}]`,
    map: (entries) =>
      entries.every(([key]) => key.startsWith('"'))
        ? `{${entries.map(([key, value]) => `${key}: ${value}`).join(", ")}}`
        : `[${entries.map(([key, value]) => `[${key}, ${value}]`).join(", ")}]`,
    object: (fields) => `{${fields.map(([name, value]) => `${JSON.stringify(name)}: ${value}`).join(", ")}}`,
    tensor(tensor) {
      const data = tensor.elements.map((each) => this.number(each)).join(", ");
      const note = tensor.summary === "" ? "" : `, "summary": ${JSON.stringify(tensor.summary)}`;
      return `{"dtype": ${JSON.stringify(tensor.dtype)}, "shape": [${tensor.shape.join(", ")}], "data": [${data}]${note}}`;
    },
  },
};

export function codeOf(data: Data, language: Language): string {
  const notation = notations[language];
  const code = write(data, notation);
  if (language === "JSON") return code;
  const numeric = language === "NumPy" && data.kind === "list" && data.items.every((item) => item.kind === "number" || item.kind === "list");
  const comment = language === "NumPy" ? "#" : "//";
  const notes = notesOf(data).map((note) => `${comment} ${note}\n`);
  return notes.join("") + (numeric ? `np.array(${code})` : code);
}

function write(data: Data, notation: Notation): string {
  switch (data.kind) {
    case "number": return notation.number(data.text);
    case "word": return notation.word(data.text);
    case "string": return notation.string(data.literal);
    case "list": return notation.list(data.items.map((item) => write(item, notation)));
    case "map": return notation.map(data.entries.map(([key, value]) => [write(key, notation), write(value, notation)]));
    case "object": return notation.object(data.fields.map(([name, value]) => [name, write(value, notation)]));
    case "tensor": return notation.tensor(data);
  }
}

/** What the page does not have of a value. */
function notesOf(data: Data): string[] {
  switch (data.kind) {
    case "tensor":
      return data.summary === "" ? [] : [`Only the ${data.elements.length} elements shown of ${data.dtype} [${data.shape.join(", ")}]: ${data.summary}`];
    case "list": return [...(data.cut ? ["Only the items that are shown"] : []), ...data.items.flatMap(notesOf)];
    case "map": return [...(data.cut ? ["Only the entries that are shown"] : []), ...data.entries.flatMap(([, value]) => notesOf(value))];
    case "object": return data.fields.flatMap(([, value]) => notesOf(value));
    default: return [];
  }
}

/** Elements are written in one row. */
function reshaped(tensor: Tensor, begin: string, end: string): string {
  return tensor.shape.length === 1 || tensor.summary !== "" ? "" : tensor.shape.length === 0 && begin.startsWith(".view") ? "" : `${begin}${tensor.shape.length === 0 ? "()" : tensor.shape.join(", ")}${end}`;
}

function special(text: string, nan: string, infinity: string): string | undefined {
  const word = /^(-?)(nan|inf|∞)$/i.exec(text);
  if (!word) return undefined;
  return word[2]!.toLowerCase() === "nan" ? nan : word[1] + infinity;
}

const escapes: Record<string, string> = { n: "\n", t: "\t", r: "\r", "0": "\0", a: "\x07", b: "\b", f: "\f", v: "\v" };

/** The text that a literal of C++ stands for. */
function textOf(literal: string): string {
  return literal.slice(1, -1).replace(/\\(?:x([0-9a-fA-F]{1,2})|u\{?([0-9a-fA-F]+)\}?|(.))/gs, (_, byte?: string, point?: string, one?: string) =>
    one === undefined ? String.fromCodePoint(parseInt(byte ?? point ?? "0", 16)) : (escapes[one] ?? one),
  );
}
