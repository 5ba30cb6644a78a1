/** A power of two, large enough that most names have a slot to themselves. */
const SLOTS = 256;

/** A table of values by name that looks a name up in place, in a longer text, without creating a string. */
export class Names<Value, Name extends string = string> {
  private readonly slots: { name: string; value: Value }[][] = Array.from({ length: SLOTS }, () => []);
  private readonly byName = new Map<string, Value>();

  constructor(names: Iterable<Name>, make: (name: Name) => Value) {
    for (const name of new Set(names)) {
      const value = make(name);
      this.byName.set(name, value);
      let hash = 0;
      for (let at = 0; at < name.length; at++) hash = mixIn(hash, name.charCodeAt(at));
      this.slots[hash & (SLOTS - 1)]!.push({ name, value });
    }
  }

  /**
   * Returns the value of the name between two positions of a text, in upper or lower case.
   *
   * @param hash of its characters, by `mixIn`.
   */
  find(text: string, from: number, to: number, hash: number): Value | undefined {
    const slot = this.slots[hash & (SLOTS - 1)]!;
    for (let index = 0; index < slot.length; index++) {
      const { name, value } = slot[index]!;
      if (name.length === to - from && isAt(name, text, from)) return value;
    }
    return undefined;
  }

  get(name: string): Value | undefined {
    return this.byName.get(name);
  }
}

/** Adds a character to the hash of a name. Both cases of a letter give the same hash. */
export const mixIn = (hash: number, unit: number) => (Math.imul(hash, 31) + (unit | 0x20)) | 0;

/** Whether a unit is white space in HTML and CSS. */
export function isBlank(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09 || unit === 0x0c;
}

/** @param name in lower case. */
function isAt(name: string, text: string, from: number): boolean {
  for (let index = 0; index < name.length; index++) {
    const unit = text.charCodeAt(from + index);
    const known = name.charCodeAt(index);
    if (unit !== known && !(unit >= 0x41 && unit <= 0x5a && unit + 0x20 === known)) return false;
  }
  return true;
}
