// Text never moves: the first paint waits a moment for the fonts, and fonts that are late stay away until the next page. It
// waits, too, for all that the first window shows: a parser that is interrupted leaves a row of buttons or a figure half done.

/** A file of the site's fonts, with what @font-face says of it. */
interface Face {
  family: string;
  file: string;
  style: string;
  weight: string;
  unicodeRange: string;
}

/** What nearly every page is set in; put in by build.mjs. */
declare const __FACES__: readonly Face[];
const mathFaces: readonly Face[] = ["Main-Regular", "Math-Italic", "Size1-Regular", "Size2-Regular"].map((name) => {
  const [family, style] = name.split("-") as [string, string];
  return { family: `KaTeX_${family}`, file: `KaTeX_${name}.woff2`, style: style === "Italic" ? "italic" : "normal", weight: "400", unicodeRange: "U+0-10FFFF" };
});

/** Milliseconds: content is to be painted within 200 of its navigation. */
const patience = 100;

/** Loads fonts; gives false if they take too long. */
function arrival(faces: readonly Face[], folder: string): Promise<boolean> {
  const arriving = faces.map(({ family, file, ...descriptors }) => {
    const face = new FontFace(family, `url("${folder}${file}")`, descriptors);
    document.fonts.add(face);
    return face.load();
  });
  const late = new Promise<boolean>((done) => setTimeout(done, patience, false));
  return Promise.race([Promise.allSettled(arriving).then(() => true), late]);
}

/** What stands below the first window (engine/site/blocks.h, layout.css). */
const below = matchMedia("(max-height: 900px)").matches ? ".tall, .block:not(.near)" : ".block:not(.near)";

function windowIsParsed(): boolean {
  return document.readyState !== "loading" || document.querySelector(below) !== null;
}

/** When the first content is on the screen: after its frame, since other threads draw what the page has painted. */
function contentIsShown(): Promise<unknown> {
  const shown = new Promise<void>((done) =>
    new PerformanceObserver((paints) => {
      if (paints.getEntriesByName("first-contentful-paint").length > 0) done();
    }).observe({ type: "paint", buffered: true }),
  );
  return Promise.race([shown, new Promise((done) => setTimeout(done, 5 * patience))]);
}

/** The text of the first window is painted alone, what follows it once that is done and its own fonts are there (layout.css). */
async function openFirstWindow(root: HTMLElement, arrivalOfRest: () => Promise<boolean>): Promise<void> {
  if (!windowIsParsed()) return void setTimeout(openFirstWindow, 8, root, arrivalOfRest);
  root.classList.remove("wait");
  await contentIsShown();
  await arrivalOfRest();
  root.classList.remove("opening");
}

/** Where a link leads to a place in the page, all of it is laid out before anything is painted. */
async function openAtPlace(root: HTMLElement, arrivalOfRest: () => Promise<boolean>): Promise<void> {
  if (document.readyState === "loading") return void setTimeout(openAtPlace, 8, root, arrivalOfRest);
  await arrivalOfRest();
  // The browser may not have looked for it yet.
  const target = document.querySelector(":target") ?? document.getElementById(location.hash.slice(1));
  target?.closest("details")?.setAttribute("open", "");
  root.classList.add("laid");
  root.classList.remove("opening", "wait");
  target?.scrollIntoView();
}

function open(root: HTMLElement, arrivalOfRest: () => Promise<boolean>): void {
  void (location.hash === "" ? openFirstWindow : openAtPlace)(root, arrivalOfRest);
}

/** Of a page in a single file: they are in its styles, and need no time but that of reading them. */
function arrivalOfOwn(): Promise<unknown> {
  return Promise.allSettled([...document.fonts].map((face) => face.load()));
}

/**
 * Keeps the text back and begins to load its fonts: the style sheet would ask for them only once it has something to set in
 * them. Returns what shows the text once they are there.
 */
export function holdForFonts(): () => void {
  const root = document.documentElement;
  const { src } = document.currentScript as HTMLScriptElement;
  const folder = src.replace(/[^/]*$/, "fonts/");
  root.classList.add("wait", "opening");
  if (src === "") return () => void arrivalOfOwn().then(() => open(root, () => Promise.resolve(true)));
  const near = root.dataset.math === "near" ? mathFaces : [];
  const far = root.dataset.math === "far" ? mathFaces : [];
  const arriving = arrival([...__FACES__, ...near], folder);
  return () =>
    void arriving.then((came) => {
      root.classList.toggle("plain", !came);
      open(root, () => arrival(far, folder));
    });
}
