/** A bar chart with its total and its peak, which the label tells screen readers too. */
export function Plot({ name, values, per }: { name: string; values: number[]; per: string }) {
  const highest = Math.max(...values, 0);
  const sum = values.reduce((total, value) => total + value, 0);
  const says = `${name}: ${sum.toLocaleString()} in total, peak ${highest.toLocaleString()} ${per}`;
  return (
    <figure class="card px-4 pt-3 pb-2.5">
      <figcaption class="flex items-baseline justify-between gap-2">
        <span class="text-sm text-soft">{name}</span>
        <span class="font-semibold tabular-nums">{sum.toLocaleString()}</span>
      </figcaption>
      <svg
        role="img"
        aria-label={says}
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
      <p class="mt-1.5 text-xs text-faint tabular-nums">
        {highest === 0 ? 'No data yet' : `Peak ${highest.toLocaleString()} ${per}`}
      </p>
    </figure>
  );
}
