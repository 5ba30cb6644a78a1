import { effect, signal } from '@preact/signals';

const KEY = 'postern.density';

export type Density = 'comfortable' | 'compact';

/** How high the rows of the list are; kept in this browser. */
export const density = signal<Density>(localStorage.getItem(KEY) === 'compact' ? 'compact' : 'comfortable');

effect(() => {
  if (density.value === 'compact') localStorage.setItem(KEY, 'compact');
  else localStorage.removeItem(KEY);
});

/** From this width of the list on, a row is one wide line of columns, CSS pixels. */
export const WIDE_PX = 720;

/** Height of a row, CSS pixels. */
export const rowPx = {
  wide: { comfortable: 56, compact: 36 },
  narrow: { comfortable: 80, compact: 56 },
} as const;
