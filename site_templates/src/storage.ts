// Preferences that outlive a page. Storage may be denied (private windows, file:// in some browsers): then they last as long
// as the page.

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
    // The preference holds for this page only.
  }
}
