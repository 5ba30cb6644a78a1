/** Things that are kept while they are idle, up to a bound: beyond it, the one that has been idle longest is forgotten. */
export class Idle<Thing> {
  /** The one that has been idle longest comes first: a Set keeps insertion order. */
  private readonly things = new Set<Thing>();

  constructor(
    private readonly max: number,
    private readonly forget: (thing: Thing) => void,
  ) {}

  add(thing: Thing): void {
    this.things.delete(thing);
    this.things.add(thing);
    if (this.things.size <= this.max) return;
    const [longest] = this.things;
    this.things.delete(longest!);
    this.forget(longest!);
  }

  /** It is no longer idle, or no longer kept. */
  delete(thing: Thing): void {
    this.things.delete(thing);
  }
}
