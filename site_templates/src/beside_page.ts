// The files beside a page that a script asks for: each makes one call, of the data that it brings.

import { showMessage } from "./announce";
import { loadScript } from "./element";

/** What `file` calls the global function `name` with; undefined, and the reader is told that `what` can’t be shown, where it is missing or damaged. */
export async function loadBeside<Data>(file: string, name: string, what: string, isWhole: (data: Data) => boolean = () => true): Promise<Data | undefined> {
  let data: Data | undefined;
  (window as unknown as Record<string, (came: Data) => void>)[name] = (came) => (data = came);
  await loadScript(file, "").catch(() => {});
  if (data !== undefined && isWhole(data)) return data;
  showMessage(`${what} can’t be shown: ${file}, beside this page, could not be loaded.`);
  return undefined;
}
