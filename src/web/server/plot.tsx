import { number } from '../words/amounts.ts';
import { words } from '../words/words.ts';

interface PlotProps {
  name: string;
  values: number[];
  /** The time of one value. */
  minutes: number;
}

/** A bar chart with its total and its peak, which the label tells screen readers too. */
export function Plot({ name, values, minutes }: PlotProps) {
  const highest = Math.max(...values, 0);
  const sum = values.reduce((total, value) => total + value, 0);
  const t = words.server.plot;
  const peak = highest === 0 ? t.empty : t.peak(number(highest), minutes);
  return (
    <figure class="card px-4 pt-3 pb-2.5">
      <figcaption class="flex items-baseline justify-between gap-2">
        <span class="text-sm text-soft">{name}</span>
        <span class="font-semibold tabular-nums">{number(sum)}</span>
      </figcaption>
      <svg
        role="img"
        aria-label={t.total(name, number(sum), peak)}
        class="mt-2 block h-14 w-full border-b border-line"
        viewBox={`0 0 ${values.length} 1`}
        preserveAspectRatio="none"
      >
        {values.map((value, at) =>
          value === 0 ? null : (
            <rect
              key={at}
              x={at + 0.1}
              width={0.8}
              y={1 - Math.max(0.03, value / highest)}
              height={Math.max(0.03, value / highest)}
              fill="var(--color-accent)"
            />
          ),
        )}
      </svg>
      <p class="mt-1.5 text-xs text-faint tabular-nums">{peak}</p>
    </figure>
  );
}
