// Words for those who listen, and messages for everyone.

let live: HTMLElement | null = null;
let timer = 0;

/** Says where the run stands. While a key is held only the last step is said. */
export function say(words: () => string): void {
  clearTimeout(timer);
  timer = window.setTimeout(() => {
    live ??= document.getElementById("live");
    if (live) live.textContent = words();
  }, 300);
}

/** A message on the page that stays until it is closed or the next one comes. */
export function tell(text: string): void {
  const box = document.getElementById("message");
  if (!box) return;
  const words = document.createElement("p");
  words.textContent = text;
  const close = document.createElement("button");
  close.type = "button";
  close.textContent = "✕";
  close.setAttribute("aria-label", "Close");
  close.addEventListener("click", hush);
  box.replaceChildren(words, close);
  box.hidden = false;
}

export function hush(): void {
  const box = document.getElementById("message");
  if (box && !box.hidden) box.hidden = true;
}
