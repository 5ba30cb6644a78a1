import { signal } from '@preact/signals';
import { ApiFailure } from './api.ts';
import { words } from './words/words.ts';

interface Toast {
  no: number;
  text: string;
  isFault: boolean;
}

const SHOWN_MS = 3_500;
/** More would cover the page. */
const TOASTS_MAX = 3;

const toasts = signal<Toast[]>([]);
let lastNo = 0;

export function tell(text: string, isFault = false): void {
  const no = ++lastNo;
  toasts.value = [...toasts.value, { no, text, isFault }].slice(-TOASTS_MAX);
  setTimeout(
    () => {
      toasts.value = toasts.value.filter((toast) => toast.no !== no);
    },
    isFault ? SHOWN_MS * 2 : SHOWN_MS,
  );
}

/** Shows why something failed. Anything but an ApiFailure is a bug in the page, so it is logged too. */
export function tellFault(fault: unknown): void {
  if (!(fault instanceof ApiFailure)) console.error(fault);
  tell(fault instanceof ApiFailure ? fault.message : words.frame.failures.page, true);
}

export async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without HTTPS a page has no clipboard API, so copy from a selection.
    const area = Object.assign(document.createElement('textarea'), { value: text });
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
  tell(words.frame.copied(what));
}

export function Toasts() {
  return (
    <div
      class="pointer-events-none fixed inset-x-0 bottom-5 z-50 flex flex-col items-center gap-2 px-4"
      role="status"
      aria-live="polite"
    >
      {toasts.value.map(({ no, text, isFault }) => (
        <div
          key={no}
          class={`rise max-w-md rounded-lg px-3.5 py-2 text-sm font-medium shadow-float ${
            isFault ? 'border border-danger bg-dangertint text-danger' : 'bg-ink text-paper'
          }`}
        >
          {text}
        </div>
      ))}
    </div>
  );
}
