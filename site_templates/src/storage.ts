// Choices that outlive a page. Storage may be forbidden (private windows, file:// in some browsers): then they last a page.

const prefix = "lectern.";

export function load(name: string): string | null {
  try {
    return localStorage.getItem(prefix + name);
  } catch {
    return null;
  }
}

export function save(name: string, value: string): void {
  try {
    localStorage.setItem(prefix + name, value);
  } catch {
    // Nothing is lost but the memory of it.
  }
}
