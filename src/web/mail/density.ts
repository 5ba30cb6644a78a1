/** From this width of the list on, a row is one wide line of columns, CSS pixels. */
export const WIDE_PX = 720;

/** Height of a row by the preferred density, CSS pixels. */
export const rowPx = {
  wide: { comfortable: 56, compact: 36 },
  narrow: { comfortable: 80, compact: 56 },
} as const;
