/** A power of two, and so many that most names have a slot for themselves. */
const SLOTS = 256;

/** Names and what they stand for, found in a text by their characters: no string is made of what is only looked up. */
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

  /** What the name between two places stands for, in any case; its `hash` is that of all its characters by `mixIn`. */
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

/** The hash of a name and one more character, which is the same for both cases of a letter. */
export const mixIn = (hash: number, unit: number) => (Math.imul(hash, 31) + (unit | 0x20)) | 0;

/** @param name in lower case. */
function isAt(name: string, text: string, from: number): boolean {
  for (let index = 0; index < name.length; index++) {
    const unit = text.charCodeAt(from + index);
    const known = name.charCodeAt(index);
    if (unit !== known && !(unit >= 0x41 && unit <= 0x5a && unit + 0x20 === known)) return false;
  }
  return true;
}
