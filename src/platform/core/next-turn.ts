/** Lets everything else that waits for the event loop run first. Called between the parts of long work. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
