/*
 * A browser that keeps nothing for this site throws wherever its storage is used. Then the page gets a storage that
 * lasts as long as the page. Imported before everything that reads it. One that is full throws when something is
 * stored: then it is not, and all else goes on.
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
    // Nothing that the pages store is needed.
  }
};

/** What the pages use of a Storage: its own properties are what is stored, as in a browser's. */
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
