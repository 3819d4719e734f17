// Calculators: functions of the lecture that a reader calls with inputs of their own. Until the first input nothing is loaded:
// what the page shows is what the lecture's run gave. The address keeps the inputs that differ from those.

import { elementsOf } from "./calculator_result";
import { loadModule } from "./calculator_module";

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

const sliderSteps = 1000;

class Calculator {
  private readonly controls: Control[];
  private readonly sliders = new Map<Control, HTMLInputElement>();
  private readonly initial: string[];
  private readonly result: HTMLElement;
  private readonly key: string;
  private asked = 0;

  constructor(private readonly form: HTMLElement, ordinal: number) {
    const { function: name } = form.dataset;
    this.key = ordinal === 0 ? name! : `${name}.${ordinal + 1}`;
    this.result = form.querySelector(".result")!;
    this.controls = [...form.querySelectorAll<Control>("fieldset :is(input, select, textarea)[name]")];
    for (const slider of form.querySelectorAll<HTMLInputElement>("input[type=range]")) {
      this.sliders.set(slider.previousElementSibling as Control, slider);
    }
    // Not the values that a browser may put back when the page is opened again: the result is that of the lecture's.
    this.initial = this.controls.map(initialValue);
    this.controls.forEach((control, index) => this.put(control, this.initial[index]!));
    form.querySelector("fieldset")!.disabled = false;
    form.addEventListener("input", (event) => this.changed(event.target as Element));
    form.addEventListener("click", (event) => this.choose((event.target as Element).closest("button")));
    const kept = new URLSearchParams(location.search).get(this.key);
    if (kept !== null && this.take(kept)) void this.calculate();
    this.placeSliders();
  }

  private values(): string[] {
    return this.controls.map((control) => (control instanceof HTMLInputElement && control.type === "checkbox" ? String(control.checked) : control.value));
  }

  private put(control: Control, value: string): void {
    if (control instanceof HTMLInputElement && control.type === "checkbox") control.checked = value === "true";
    else if (!(control instanceof HTMLSelectElement) || [...control.options].some((option) => option.value === value)) control.value = value;
  }

  private changed(target: Element): void {
    if (target instanceof HTMLInputElement && target.type === "range") {
      this.put(target.previousElementSibling as Control, textAt(target));
    }
    this.update();
  }

  private choose(button: HTMLButtonElement | null): void {
    if (!button) return;
    const values = JSON.parse(button.dataset.values!) as Record<string, string>;
    this.controls.forEach((control, index) => this.put(control, values[control.name] ?? this.initial[index]!));
    this.update();
  }

  private update(): void {
    this.placeSliders();
    this.keep();
    void this.calculate();
  }

  /** Inputs of an address, separated by "~"; those that are missing or hidden stay. */
  private take(kept: string): boolean {
    const values = kept.split("~");
    const shown = this.controls.filter((control) => control.type !== "hidden");
    if (values.length !== shown.length) return false;
    shown.forEach((control, index) => this.put(control, values[index]!.replaceAll("%7E", "~")));
    return true;
  }

  private keep(): void {
    const url = new URL(location.href);
    const values = this.values();
    if (values.every((value, index) => value === this.initial[index])) url.searchParams.delete(this.key);
    else {
      const shown = values.filter((_, index) => this.controls[index]!.type !== "hidden");
      url.searchParams.set(this.key, shown.map((value) => value.replaceAll("~", "%7E")).join("~"));
    }
    clearTimeout(addressTimer);
    addressTimer = window.setTimeout(() => history.replaceState(history.state, "", withHash(url)), 300);
  }

  private placeSliders(): void {
    for (const [control, slider] of this.sliders) {
      const share = shareOf(slider, control.value);
      if (share !== undefined) slider.value = String(Math.round(share * sliderSteps));
      slider.setAttribute("aria-valuetext", control.value);
    }
  }

  private async calculate(): Promise<void> {
    const asked = ++this.asked;
    const { module, function: name } = this.form.dataset;
    try {
      const call = await loadModule(module!);
      if (asked !== this.asked) return;
      const result = call(name!, this.values());
      this.tell(new Map(result.problems.map(({ input, text }) => [input, text])));
      // With a problem the last result stays, faded: nothing jumps while one types.
      this.result.classList.toggle("outdated", result.problems.length > 0);
      if (result.problems.length === 0) {
        this.result.replaceChildren(...elementsOf(result));
        this.result.dispatchEvent(new Event("lectern-part", { bubbles: true })); // equip.ts
      }
    } catch (error) {
      this.result.classList.add("outdated");
      this.tell(new Map([["", `This calculator does not run here: ${error instanceof Error ? error.message : String(error)}.`]]));
    }
  }

  private tell(problems: ReadonlyMap<string, string>): void {
    const unplaced = problems.get("");
    for (const control of this.controls) {
      const place = document.getElementById(`${control.id}-problem`);
      if (!place) continue;
      const problem = problems.get(control.name) ?? (control === this.controls[0] ? unplaced : undefined);
      place.hidden = problem === undefined;
      place.textContent = problem ?? "";
      if (problem === undefined) control.removeAttribute("aria-invalid");
      else control.setAttribute("aria-invalid", "true");
    }
  }
}

function initialValue(control: Control): string {
  if (control instanceof HTMLSelectElement) return ([...control.options].find((option) => option.defaultSelected) ?? control.options[0])?.value ?? "";
  return control instanceof HTMLInputElement && control.type === "checkbox" ? String(control.defaultChecked) : control.defaultValue;
}

let addressTimer = 0;

/** The step in the address may have changed since. */
function withHash(url: URL): URL {
  url.hash = location.hash;
  return url;
}

function range(slider: HTMLInputElement): { min: number; max: number; log: boolean } {
  return { min: Number(slider.dataset.min), max: Number(slider.dataset.max), log: "log" in slider.dataset };
}

const suffixes: [string, number][] = [["T", 1e12], ["B", 1e9], ["M", 1e6], ["k", 1e3]];

/** "70B": three digits of the value at the slider. */
function textAt(slider: HTMLInputElement): string {
  const { min, max, log } = range(slider);
  const share = Number(slider.value) / sliderSteps;
  const exact = log ? min * (max / min) ** share : min + (max - min) * share;
  const value = Number(exact.toPrecision(3));
  const [suffix, unit] = suffixes.find(([, size]) => value >= 10 * size) ?? ["", 1];
  const whole = Number.isInteger(min) && Number.isInteger(max) && max - min > 2 && unit === 1;
  return `${whole ? Math.round(value) : Number((value / unit).toPrecision(3))}${suffix}`;
}

function shareOf(slider: HTMLInputElement, text: string): number | undefined {
  const { min, max, log } = range(slider);
  const match = /^([\d.eE+-]+)([kKMBGT%]?)$/.exec(text.replace(/[\s_,]/g, ""));
  if (!match) return undefined;
  const written = { K: "k", G: "B" }[match[2]!] ?? match[2];
  const unit = written === "%" ? 0.01 : (suffixes.find(([suffix]) => suffix === written)?.[1] ?? 1);
  const value = Number(match[1]) * unit;
  if (!Number.isFinite(value) || (log && value <= 0)) return undefined;
  return Math.min(1, Math.max(0, log ? Math.log(value / min) / Math.log(max / min) : (value - min) / (max - min)));
}

/** Enables the calculators of a part of the page; called again for what stepping brings. */
function enable(part: ParentNode): void {
  const ordinals = new Map<string, number>();
  for (const form of part.querySelectorAll<HTMLElement>(".calculator[data-module]")) {
    const name = form.dataset.function!;
    const ordinal = ordinals.get(name) ?? 0;
    ordinals.set(name, ordinal + 1);
    if (form.querySelector("fieldset")!.disabled) new Calculator(form, ordinal);
  }
}

declare global {
  interface Window {
    lecternCalculators?: () => void;
  }
}

window.lecternCalculators = () => enable(document);
enable(document);
