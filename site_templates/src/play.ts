// Steps by itself, at a speed that the reader sets, until a breakpoint, a guess, the end, or any move of the reader's own.

import { make } from "./element";
import { load, save } from "./storage";

/** Steps a second. */
const speeds = [0.5, 1, 2, 4, 8, 16, 32];
const usual = 2;

export interface Played {
  at(): number;
  last: number;
  advance(step: number): void;
  /** Why playing ends at a step; empty when it goes on. */
  reason(step: number): string;
  /** Called when playing ends. */
  ended(why: string): void;
}

export class Player {
  private readonly bar = document.querySelector<HTMLElement>(".bar")!;
  private readonly button = document.querySelector<HTMLElement>('[data-action="play"]')!;
  private readonly words = make("span", {});
  private speed = usual;
  private timer = 0;
  private expected = -1;

  constructor(private readonly run: Played) {
    const stored = Number(load("speed"));
    if (speeds.includes(stored)) this.speed = stored;
    const group = make("div", { className: "speed" }, speedButton("slower", "Slower", "−"), this.words, speedButton("faster", "Faster", "+"));
    group.setAttribute("role", "group");
    group.setAttribute("aria-label", "Speed");
    this.button.after(group);
    document.addEventListener("visibilitychange", () => document.hidden && this.stop(""));
    this.show();
  }

  get playing(): boolean {
    return this.timer !== 0;
  }

  toggle(): void {
    if (this.playing) return this.stop("");
    if (this.run.at() >= this.run.last) return this.run.ended("This is the last step.");
    this.expected = this.run.at();
    this.wait();
    this.show();
  }

  /** `by`: 1, faster; -1, slower. */
  change(by: 1 | -1): void {
    const at = speeds.indexOf(this.speed) + by;
    this.speed = speeds[Math.max(0, Math.min(speeds.length - 1, at))]!;
    save("speed", String(this.speed));
    if (this.playing) {
      clearTimeout(this.timer);
      this.wait();
    }
    this.show();
  }

  get told(): string {
    return this.speed === 1 ? "1 step a second" : `${this.speed} steps a second`;
  }

  private stop(why: string): void {
    if (!this.playing) return;
    clearTimeout(this.timer);
    this.timer = 0;
    this.show();
    this.run.ended(why);
  }

  private wait(): void {
    this.timer = window.setTimeout(() => this.tick(), 1000 / this.speed);
  }

  private tick(): void {
    // The reader went elsewhere: from here on he steps.
    if (this.run.at() !== this.expected) return this.stop("");
    this.run.advance((this.expected += 1));
    const why = this.run.reason(this.expected);
    if (why !== "") return this.stop(why);
    if (this.expected >= this.run.last) return this.stop("This is the last step.");
    this.wait();
  }

  private show(): void {
    this.bar.classList.toggle("playing", this.playing);
    this.button.setAttribute("aria-label", this.playing ? "Stop playing" : "Play");
    this.button.title = this.playing ? "Stop playing (s)" : `Play, ${this.told} (s)`;
    this.words.textContent = `${this.speed} / s`;
  }
}

function speedButton(action: string, label: string, textContent: string): HTMLElement {
  const button = make("button", { type: "button", title: `${label} (${textContent === "−" ? "-" : textContent})`, textContent });
  button.dataset.action = action;
  button.setAttribute("aria-label", label);
  return button;
}
