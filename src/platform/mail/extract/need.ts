/** What a line needs for a pattern to match. One pass over the characters of a line rules out most patterns. */

/** What one pattern needs: of each string, one character must be at the place that the key names. */
export interface Need {
  /** Anywhere. */
  holds?: string;
  /** Anywhere, followed by something other than a space. */
  leads?: string;
  /** Among the three characters before a run of digits. */
  before?: string;
  /** Among the two characters after a run of digits. */
  after?: string;
  /** Alone between two digits. */
  between?: string;
  /** The least number of digits in the line. */
  digits?: number;
}

type Place = Exclude<keyof Need, 'digits'>;

const BLANK = 0x20;
const isDigit = (unit: number) => unit >= 0x30 && unit <= 0x39;

/** The needs of a list of patterns. Each different condition has one of 31 bits. */
export class Needs {
  /** The required bits of each need. */
  readonly list: number[];
  private readonly bits = new Map<string, number>();
  private readonly counts: { digits: number; bit: number }[] = [];
  /**
   * A number for each code unit that some need names, 0 for all others. It is the index into the bits of each place.
   */
  private readonly numbers = new Uint8Array(0x10000);
  private lastNumber = 0;
  private readonly places: Record<Place, Int32Array> = {
    holds: new Int32Array(256),
    leads: new Int32Array(256),
    before: new Int32Array(256),
    after: new Int32Array(256),
    between: new Int32Array(256),
  };

  constructor(needs: Need[]) {
    this.list = needs.map((need) =>
      Object.entries(need).reduce((all, [name, value]) => all | this.findBit(name as keyof Need, value), 0),
    );
  }

  private findBit(name: keyof Need, value: string | number): number {
    const key = `${name} ${value}`;
    const known = this.bits.get(key);
    if (known) return known;
    const bit = 1 << this.bits.size;
    this.bits.set(key, bit);
    if (name === 'digits') this.counts.push({ digits: Number(value), bit });
    else this.add(name, String(value), bit);
    if (this.bits.size > 31 || this.lastNumber > 255) throw new Error('too many conditions for 31 bits');
    return bit;
  }

  private add(place: Place, characters: string, bit: number): void {
    for (let index = 0; index < characters.length; index++) {
      const unit = characters.charCodeAt(index);
      this.numbers[unit] ||= ++this.lastNumber;
      this.places[place][this.numbers[unit]!]! |= bit;
    }
  }

  /** Returns the bits of the conditions that a line meets. */
  in(text: string): number {
    const { numbers, places } = this;
    const { holds, leads, after, between } = places;
    let found = 0;
    let digits = 0;
    let wasDigit = false;
    for (let index = 0; index < text.length; index++) {
      const unit = text.charCodeAt(index);
      if (isDigit(unit)) {
        if (!wasDigit) found |= this.beforeRun(text, index);
        wasDigit = true;
        digits++;
        continue;
      }
      const number = numbers[unit]!;
      found |= holds[number]!;
      if (leads[number] !== 0 && index + 1 < text.length && text.charCodeAt(index + 1) !== BLANK)
        found |= leads[number]!;
      if (wasDigit) {
        const next = index + 1 < text.length ? text.charCodeAt(index + 1) : BLANK;
        found |= after[number]! | after[numbers[next]!]! | (isDigit(next) ? between[number]! : 0);
        wasDigit = false;
      }
    }
    for (const count of this.counts) if (digits >= count.digits) found |= count.bit;
    return found;
  }

  private beforeRun(text: string, start: number): number {
    const { before } = this.places;
    let found = 0;
    for (let index = Math.max(0, start - 3); index < start; index++)
      found |= before[this.numbers[text.charCodeAt(index)]!]!;
    return found;
  }
}
