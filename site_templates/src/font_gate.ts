// Text never moves: the first paint waits for the fonts, and fonts that are late stay away until the next page.

const patience = 500;
const faces = [
  '400 16px "Source Serif 4 Variable"', 'italic 400 16px "Source Serif 4 Variable"', '400 16px "Inter Variable"',
  '400 16px "JetBrains Mono Variable"', 'italic 400 16px "JetBrains Mono Variable"',
];
const mathFaces = ["16px KaTeX_Main", "italic 16px KaTeX_Math", "16px KaTeX_Size1", "16px KaTeX_Size2"];

export function waitForFonts(): void {
  const root = document.documentElement;
  root.classList.add("wait");
  const late = setTimeout(() => root.classList.replace("wait", "plain"), patience);
  const waiting: Promise<unknown>[] = [];
  // Faces can be asked for as soon as the style sheet that declares them is there; the site's own comes last.
  const arrived = (event: Event): void => {
    const link = event.target;
    if (!(link instanceof HTMLLinkElement) || link.rel !== "stylesheet") return;
    const own = link.href.endsWith("/style.css");
    for (const face of own ? faces : mathFaces) waiting.push(document.fonts.load(face));
    if (!own) return;
    document.removeEventListener("load", arrived, true);
    void Promise.allSettled(waiting).then(() => {
      clearTimeout(late);
      root.classList.remove("wait");
    });
  };
  document.addEventListener("load", arrived, true);
}
