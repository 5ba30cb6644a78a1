import { encode } from 'uqr';

/** Modules of quiet zone around the code (ISO/IEC 18004). */
const BORDER = 4;

/** A QR code, dark on white in both themes: many cameras read no other. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { border: BORDER });
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg viewBox={`0 0 ${size} ${size}`} class="size-48 rounded-md bg-white" role="img" aria-label={label}>
      <path d={path.join('')} fill="#000" />
    </svg>
  );
}
