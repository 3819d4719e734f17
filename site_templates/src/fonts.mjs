// The fonts that the site ships, as @font-face rules, with fallbacks of the same widths and heights.
//
// The fallbacks are the three metric families that nearly every system has under one name or another,
// stretched to the fonts' measures. With script the page waits a moment for the fonts of every page or does
// without them (font_gate.ts).

import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import subsetFont from 'subset-font';

const families = [
  {
    name: 'Source Serif 4 Variable',
    folder: 'source-serif-4',
    weights: '200 900',
    italic: true,
    boldItalic: true,
    fallback: 'Source Serif Fallback',
    locals: ['Times New Roman', 'Liberation Serif', 'Tinos'],
    adjust: 118.5,
    ascent: 1.036,
    descent: 0.335,
  },
  {
    name: 'Inter Variable',
    folder: 'inter',
    weights: '100 900',
    italic: false,
    fallback: 'Inter Fallback',
    locals: ['Arial', 'Liberation Sans', 'Arimo'],
    adjust: 106.9,
    ascent: 0.96875,
    descent: 0.2412,
  },
  {
    name: 'JetBrains Mono Variable',
    folder: 'jetbrains-mono',
    weights: '100 800',
    italic: true,
    boldItalic: false,
    isForCode: true,  // comments are italic
    fallback: 'JetBrains Mono Fallback',
    locals: ['Courier New', 'Liberation Mono', 'Cousine'],
    adjust: 100,
    ascent: 1.02,
    descent: 0.3,
  },
];
const subsets = ['latin', 'latin-ext', 'greek'];
/** The weights that the style sheet asks for. */
const weights = {
  min: 400,
  max: 700
};

function weightOf({boldItalic}, style) { return style === 'normal' || boldItalic ? weights : weights.min; }

function weightText(weight) { return weight === weights ? `${weight.min} ${weight.max}` : String(weight); }

function codePoints(range) {
  return range.split(',').flatMap((part) => {
    const [first, last = first] = part.slice(2).split('-').map((digits) => parseInt(digits, 16));
    return Array.from({length: last - first + 1}, (_, i) => first + i);
  });
}

/**
 * Returns the rules, the font files, under the names that the rules use, and the faces of every page: in the
 * weights that it has, and of the one for code without ligatures, since all of them are read before the first
 * paint.
 */
export async function fontFaces(packages) {
  const rules = [];
  const files = [];
  const everywhere = [];
  for (const family of families) {
    const ranges = JSON.parse(await readFile(join(packages, family.folder, 'unicode.json'), 'utf8'));
    for (const style of family.italic ? ['normal', 'italic'] : ['normal']) {
      for (const subset of subsets) {
        const file = `${family.folder}-${subset}-wght-${style}.woff2`;
        const isLatin = subset === 'latin';
        const weight = isLatin ? weightOf(family, style) : undefined;
        const whole = await readFile(join(packages, family.folder, 'files', file));
        const options = {
          targetFormat: 'woff2',
          variationAxes: {wght: weight},
          noLayoutClosure: family.isForCode
        };
        files.push({
          name: file,
          bytes: isLatin ?
              await subsetFont(whole, String.fromCodePoint(...codePoints(ranges.latin)), options) :
              whole
        });
        const stated = isLatin ? weightText(weight) : family.weights;
        if (isLatin)
          everywhere.push({family: family.name, file, style, weight: stated, unicodeRange: ranges.latin});
        // Other letters are a family of their own, after this one: looking for a letter among faces that are
        // still to be loaded, Chromium asks the system for fonts that nothing is set in.
        const name = isLatin ? family.name : family.name.replace('Variable', 'More');
        rules.push(
            `@font-face{font-family:"${name}";font-style:${style};font-weight:${stated};font-display:swap;` +
                `src:url(fonts/${file}) format("woff2");unicode-range:${ranges[subset]}}`,
        );
      }
    }
    const percent = (measure) => `${((100 * measure) / (family.adjust / 100)).toFixed(2)}%`;
    rules.push(
        `@font-face{font-family:"${family.fallback}";src:${
            family.locals.map((local) => `local("${local}")`).join(',')};` +
            `size-adjust:${family.adjust}%;ascent-override:${percent(family.ascent)};descent-override:${
                percent(family.descent)};` +
            `line-gap-override:0%}`,
    );
  }
  return {css: rules.join('\n'), files, everywhere};
}

/** Letters of a face that one page needs rarely come alone: as many are in one file. */
const sliceSize = 32;

/** Ascending code points as a unicode-range. */
function rangeOf(codes) {
  const ranges = [];
  for (const code of codes) {
    if (ranges.at(-1)?.[1] === code - 1)
      ranges.at(-1)[1] = code;
    else
      ranges.push([code, code]);
  }
  return ranges
      .map(([first, last]) => `U+${first.toString(16)}${last > first ? `-${last.toString(16)}` : ''}`)
      .join(',');
}

/** Code points in slices, by their order. */
function slicesOf(codes) {
  const slices = new Map();
  for (const code of codes) {
    const at = Math.floor(code / sliceSize);
    slices.set(at, [...(slices.get(at) ?? []), code]);
  }
  return [...slices.values()];
}

/** Of the Latin ones, the letters that English does without, "é", "ß", "œ"; scripts write none of them. */
function isAccented(code) {
  return code >= 0xc0 && code <= 0x153 && /\p{L}/u.test(String.fromCodePoint(code));
}

/**
 * The smaller faces of a family: the Latin ones, in slices where letters have accents, and of all other
 * letters slices, upright and of one weight.
 */
function smallFaces(family, ranges) {
  const {name, folder, italic} = family;
  const latin = codePoints(ranges.latin), known = new Set(latin);
  const parts = [latin.filter((code) => !isAccented(code)), ...slicesOf(latin.filter(isAccented))];
  const faces =
      (italic ? ['normal', 'italic'] : ['normal'])
          .flatMap(
              (style) => parts.map(
                  (codes) => ({name, style, subset: 'latin', codes, weight: weightOf(family, style)})));
  for (const subset of subsets.slice(1)) {
    for (const codes of slicesOf(codePoints(ranges[subset]).filter((code) => !known.has(code))))
      faces.push(
          {name: name.replace('Variable', 'More'), style: 'normal', subset, codes, weight: weights.min});
  }
  return faces.map(
      (face) => ({...face, folder, file: `${folder}-${face.style}-${face.codes[0].toString(16)}.woff2`}));
}

/**
 * Whether a TrueType font draws anything. A slice of letters that its face lacks does not, and browsers
 * refuse it.
 */
function hasOutlines(font) {
  const tables = Array.from({length: font.readUInt16BE(4)}, (_, i) => 12 + 16 * i);
  const glyf = tables.find((at) => font.toString('latin1', at, at + 4) === 'glyf');
  const headerOfGlyph = 10;  // bytes; a table of none is padded
  return glyf !== undefined && font.readUInt32BE(glyf + 12) >= headerOfGlyph;
}

/**
 * For pages in single files: the same letters in smaller files, of which a page takes those that it needs.
 * Ligatures are left out, but the figures of tables are there: Inter's.
 */
export async function singleFaces(packages) {
  const faces = [];
  for (const family of families) {
    faces.push(...smallFaces(
        family, JSON.parse(await readFile(join(packages, family.folder, 'unicode.json'), 'utf8'))));
  }
  const made = await Promise.all(
      faces.map(async (face) => {
        const {folder, style, subset, codes, weight} = face;
        const whole =
            await readFile(join(packages, folder, 'files', `${folder}-${subset}-wght-${style}.woff2`));
        const options = {variationAxes: {wght: weight}, noLayoutClosure: folder !== 'inter'};
        const cut = (targetFormat) =>
            subsetFont(whole, String.fromCodePoint(...codes), {...options, targetFormat});
        return {...face, bytes: hasOutlines(await cut('truetype')) ? await cut('woff2') : undefined};
      }),
  );
  const drawn = made.filter(({bytes}) => bytes !== undefined);
  const css = drawn.map(
      ({name, file, style, codes, weight}) =>
          `@font-face{font-family:"${name}";font-style:${style};font-weight:${
              weightText(weight)};font-display:swap;` +
          `src:url(${file}) format("woff2");unicode-range:${rangeOf(codes)}}`,
  );
  return {css: css.join('\n'), fonts: drawn.map(({file, bytes}) => ({name: file, bytes}))};
}

/** For what draws pictures: letters of figures, as TrueType, which has no weights in between. */
export async function pictureFonts(packages) {
  const folder = join(packages, 'inter');
  const ranges = JSON.parse(await readFile(join(folder, 'unicode.json'), 'utf8'));
  const cut = async (subset, weight) => {
    const whole = await readFile(join(folder, 'files', `inter-${subset}-wght-normal.woff2`));
    const letters = String.fromCodePoint(...codePoints(ranges[subset]));
    return {
      name: `inter-${subset}-${weight}.ttf`,
      bytes: await subsetFont(whole, letters, {targetFormat: 'truetype', variationAxes: {wght: weight}})
    };
  };
  return Promise.all([...subsets, 'cyrillic'].flatMap(
      (subset) => [weights.min, weights.max].map((weight) => cut(subset, weight))));
}
