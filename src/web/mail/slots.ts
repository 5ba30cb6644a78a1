/** A set of elements on the screen, and the row that it shows now. */
export interface Slot<Row> {
  /** Identifies the elements, whichever row they show. */
  id: number;
  key: string;
  row: Row;
  index: number;
}

/**
 * Assigns elements to rows: a row keeps its own, and one that comes into view gets those of one that has left, if possible
 * of the same look, so that only texts change.
 */
export class Slots<Row> {
  private slots: Slot<Row>[] = [];
  private nextId = 0;

  /** Rows of the same look have the same elements. */
  constructor(private readonly findLook: (row: Row) => number) {}

  /**
   * Assigns elements to the rows from `start` up to, but not including, `end`. `sorts` puts them in the order of the
   * rows, which screen readers and the Tab key follow. Otherwise they stay in place, because moving elements takes as
   * long as creating them.
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
      const row = rows[index]!;
      const look = this.findLook(row);
      const alike = free.findIndex((at) => this.findLook(this.slots[at]!.row) === look);
      const [at = slots.length] = free.splice(Math.max(0, alike), 1);
      const id = this.slots[at]?.id ?? this.nextId++;
      slots[at] = { id, key, index, row };
    }
    this.slots = slots.filter((slot) => slot !== null);
    if (sorts) this.slots.sort((one, other) => one.index - other.index);
    return this.slots;
  }
}
