// How wide text is in the page's font, where there is no canvas to measure it on.

/** Inter's advance widths of U+0020 to U+007E, in hundredths of its size. */
const advances = [
  28, 29, 47, 63, 64, 98, 64, 30, 36, 36, 50, 66, 29, 46, 29, 36, 63, 41, 61, 62, 65, 59, 62, 57, 62, 62, 29, 30, 66, 66, 66, 51,
  97, 69, 65, 73, 72, 60, 59, 75, 74, 27, 57, 67, 57, 90, 75, 76, 64, 76, 64, 64, 65, 74, 69, 99, 68, 68, 63, 36, 36, 36, 47, 46,
  32, 56, 61, 57, 61, 58, 37, 61, 59, 24, 24, 55, 24, 88, 59, 60, 61, 61, 38, 53, 33, 59, 56, 82, 55, 56, 55, 43, 33, 43, 66,
];
/** Letters of other alphabets, and those that are as wide as high (Chinese, Japanese, Korean, pictures). */
const letter = 66;
const square = 100;

/** Of one line of text, `size` pixels high. */
export function textWidth(text: string, size: number): number {
  let width = 0;
  for (const character of text) {
    const code = character.codePointAt(0)!;
    width += advances[code - 0x20] ?? (code >= 0x1100 && !(code >= 0x2000 && code < 0x2e80) ? square : letter);
  }
  return (width * size) / 100;
}
