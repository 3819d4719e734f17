// Whether a guess is the value: apart from spaces, brackets, separators of thousands, and how a number is written.

import { numberOf, withoutSeparators } from "./number_text";

/** A rounded number counts from so many digits on. */
const digitsEnough = 3;
/** So many are told apart in a number of double precision. */
const digitsExact = 15;

/** Words that other languages write in capitals. */
const constants = new Set(["true", "false", "null", "nullptr", "none"]);

export interface Answer {
  /** As shown: of a tensor dtype and shape, "float32 [2, 3]". */
  type: string;
  /** In one line: of a tensor its type, with few elements these after a colon. */
  text: string;
}

export function isRight(guess: string, answer: Answer): boolean {
  const said = guess.trim();
  if (said === "") return false;
  return readings(answer).some((text) => same(said, text));
}

/** All that may be said for a value. */
function readings({ type, text }: Answer): string[] {
  const whole = text === "" ? type : text;
  const found = [whole];
  const tensor = /^\w+ (\[[\d, ]*\])/.exec(type);
  if (tensor && whole.startsWith(tensor[0])) {
    found.push(tensor[0], tensor[1]!);
    const elements = /^[^:]*: (?:≈ )?(.*)$/.exec(whole)?.[1];
    if (elements !== undefined) found.push(elements);
  }
  const quoted = /^(["'])(.*)\1$/s.exec(whole)?.[2];
  if (quoted !== undefined) found.push(quoted);
  return found;
}

function same(guess: string, text: string): boolean {
  if (guess === text || guess.replace(/\s/g, "") === text.replace(/\s/g, "")) return true;
  const wanted = tokens(withoutSeparators(text));
  if (wanted.length === 0) return false;
  const shape = guess.replace(/(\d)\s*[x×]\s*(?=\d)/g, "$1 ");
  // A comma in a guess may stand between elements or between thousands.
  return [guess, withoutSeparators(guess), shape].some((reading) => agree(tokens(reading), wanted));
}

/** Numbers, quoted texts, words and signs; no spaces, brackets and separators. */
function tokens(text: string): string[] {
  const plain = text.replace(/−/g, "-");
  const pattern = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|[\p{L}_][\p{L}\p{M}\d_]*|[^\s,;()[\]{}]/giu;
  return plain.match(pattern) ?? [];
}

function agree(guess: readonly string[], wanted: readonly string[]): boolean {
  return guess.length === wanted.length && guess.every((token, index) => tokensAgree(token, wanted[index]!));
}

function tokensAgree(guess: string, wanted: string): boolean {
  if (guess === wanted) return true;
  const said = numberOf(guess);
  const value = numberOf(wanted);
  if (said === undefined || value === undefined) return constants.has(wanted.toLowerCase()) && guess.toLowerCase() === wanted.toLowerCase();
  if (rounded(guess, said, value)) return true;
  if (isWhole(guess) && isWhole(wanted)) return BigInt(guess) === BigInt(wanted);
  return said === value || (Number.isNaN(said) && Number.isNaN(value));
}

function isWhole(text: string): boolean {
  return /^\d+$/.test(text.replace(/^[+-]/, ""));
}

function rounded(guess: string, said: number, value: number): boolean {
  const digits = guess.replace(/e.*$/i, "").replace(/[^\d]/g, "").replace(/^0+/, "").length;
  return digits >= digitsEnough && digits <= digitsExact && Number.isFinite(value) && Number(value.toPrecision(digits)) === said;
}
