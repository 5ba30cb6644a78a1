/*
 * Where a browser blocks storage for this site, every access throws, so the page gets a storage that lasts until it is
 * closed. A full storage throws on each write; such writes are dropped. This module is imported before everything that
 * reads storage.
 */

for (const name of ['localStorage', 'sessionStorage'] as const) {
  try {
    void window[name];
  } catch {
    Object.defineProperty(window, name, { value: makeStorage() });
  }
}

const { setItem } = Storage.prototype;
Storage.prototype.setItem = function (name, value) {
  try {
    setItem.call(this, name, value);
  } catch {
    // The pages work without anything that they store.
  }
};

/** The part of Storage that the pages use. As in a browser's, the stored items are its own properties. */
function makeStorage() {
  return Object.create({
    getItem(this: Stored, name: string) {
      return this[name] ?? null;
    },
    setItem(this: Stored, name: string, value: string) {
      this[name] = value;
    },
    removeItem(this: Stored, name: string) {
      delete this[name];
    },
  });
}

type Stored = Record<string, string>;
