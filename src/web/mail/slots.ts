/** The elements of a row on the screen, and the row that has them now. */
export interface Slot<Row> {
  /** Identifies the elements, whichever row they show. */
  id: number;
  key: string;
  row: Row;
  index: number;
}

/**
 * Which rows have which elements: a row keeps its own, and one that comes into view takes those of one that has left.
 */
export class Slots<Row> {
  private slots: Slot<Row>[] = [];
  private nextId = 0;

  /**
   * Gives elements to the rows from `start` to before `end`. `sorts` puts them in the order of the rows, as a screen
   * reader and the Tab key meet them. Without it they stay where they are, since moving elements takes as long as
   * making new ones.
   */
  assign(
    rows: readonly Row[],
    findKey: (row: Row) => string,
    start: number,
    end: number,
    sorts: boolean,
  ): readonly Slot<Row>[] {
    const wanted = new Map<string, number>();
    for (let index = start; index < end; index++) wanted.set(findKey(rows[index]!), index);
    const slots: (Slot<Row> | null)[] = this.slots.map((slot) => {
      const index = wanted.get(slot.key);
      if (index === undefined) return null;
      wanted.delete(slot.key);
      return { ...slot, index, row: rows[index]! };
    });
    const free = slots.flatMap((slot, at) => (slot === null ? [at] : []));
    for (const [key, index] of wanted) {
      const at = free.shift() ?? slots.length;
      const id = this.slots[at]?.id ?? this.nextId++;
      slots[at] = { id, key, index, row: rows[index]! };
    }
    this.slots = slots.filter((slot) => slot !== null);
    if (sorts) this.slots.sort((one, other) => one.index - other.index);
    return this.slots;
  }
}
