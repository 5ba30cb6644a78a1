import type { Tallies, TallyKind, Tx } from './operation.ts';

/** The tallies of one group (platform/store/operation.ts). */
export class GroupTallies implements Tallies {
  // biome-ignore lint/suspicious/noExplicitAny: each kind has a tally of its own shape.
  private readonly tallies = new Map<TallyKind<any>, unknown>();

  of<Tally>(kind: TallyKind<Tally>): Tally {
    let tally = this.tallies.get(kind) as Tally | undefined;
    if (tally === undefined) {
      tally = kind.make();
      this.tallies.set(kind, tally);
    }
    return tally;
  }

  /** Writes all tallies, and empties them. */
  write(tx: Tx): void {
    for (const [kind, tally] of this.tallies) kind.write(tx, tally);
    this.tallies.clear();
  }

  /** Empties them after a rollback: what they counted did not happen. */
  clear(): void {
    this.tallies.clear();
  }
}
