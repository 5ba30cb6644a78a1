import { signal } from '@preact/signals';
import { ApiFailure } from './api.ts';
import { words } from './words/words.ts';

interface Toast {
  no: number;
  text: string;
  isFault: boolean;
  undo?: () => void;
}

const SHOWN_MS = 3_500;
/** Long enough to see what happened and to reach the button. */
const UNDO_MS = 8_000;
/** The key that runs the Undo (shell.tsx). */
export const UNDO_KEY = 'z';
/** More would cover the page. */
const TOASTS_MAX = 3;

const toasts = signal<Toast[]>([]);
let lastNo = 0;

function addToast(toast: Omit<Toast, 'no'>): number {
  const no = ++lastNo;
  // The same text is shown once: when the server is lost, several requests fail.
  const different = toasts.peek().filter(({ text }) => text !== toast.text);
  const others = different.slice(1 - TOASTS_MAX);
  // Newer toasts never push out the one with an Undo.
  const kept = different.filter((each) => each.undo && !others.includes(each));
  toasts.value = [...kept, ...others, { no, ...toast }];
  return no;
}

function removeToast(no: number): void {
  toasts.value = toasts.peek().filter((toast) => toast.no !== no);
}

export function showToast(text: string, isFault = false): void {
  const no = addToast({ text, isFault });
  setTimeout(() => removeToast(no), isFault ? SHOWN_MS * 2 : SHOWN_MS);
}

/** The toast with an Undo. There is at most one: the next one ends it. */
let undoable: { no: number; timer?: ReturnType<typeof setTimeout>; onEnd: OnEnd } | null = null;

type OnEnd = () => Promise<void> | void;

/** Shows a toast that offers an Undo for a few seconds. Calls `onEnd` if the offer ends unused. */
export function showToastWithUndo(
  text: string,
  { onUndo, onEnd }: { onUndo: () => void; onEnd?: OnEnd },
): void {
  endUndo()?.();
  const no = addToast({
    text,
    isFault: false,
    undo() {
      if (undoable?.no !== no) return;
      endUndo();
      onUndo();
    },
  });
  undoable = { no, onEnd: onEnd ?? (() => {}) };
  resumeUndo();
}

/** Ends the offer and returns its `onEnd`, which the caller runs. */
export function endUndo(): OnEnd | undefined {
  if (!undoable) return undefined;
  const { no, timer, onEnd } = undoable;
  clearTimeout(timer);
  undoable = null;
  removeToast(no);
  return onEnd;
}

/** Ends the offer and resolves when its `onEnd` is done. Called before the session ends, while it is still allowed. */
export async function settleUndo(): Promise<void> {
  await endUndo()?.();
}

/** Runs the Undo on offer, if any; for its key. */
export function undo(): void {
  toasts
    .peek()
    .find((toast) => toast.undo)
    ?.undo?.();
}

/** Keeps the offer open while the pointer or the focus is on it. */
function pauseUndo(): void {
  clearTimeout(undoable?.timer);
}

function resumeUndo(): void {
  if (!undoable) return;
  clearTimeout(undoable.timer);
  undoable.timer = setTimeout(() => endUndo()?.(), UNDO_MS);
}

/** Shows why something failed. Anything but an ApiFailure is a bug in the page, so it is logged too. */
export function showFault(fault: unknown): void {
  if (!(fault instanceof ApiFailure)) console.error(fault);
  showToast(fault instanceof ApiFailure ? fault.message : words.frame.failures.page, true);
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
  showToast(words.frame.copied(what));
}

export function Toasts() {
  return (
    <div
      class="pointer-events-none fixed inset-x-0 bottom-5 z-50 flex flex-col items-center gap-2 px-4"
      role="status"
      aria-live="polite"
    >
      {toasts.value.map(({ no, text, isFault, undo }) => (
        <div
          key={no}
          class={`rise flex max-w-md items-center gap-4 rounded-lg px-3.5 py-2 text-sm font-medium shadow-float ${
            isFault ? 'border border-danger bg-dangertint text-danger' : 'bg-ink text-paper'
          }`}
        >
          {text}
          {undo && (
            <button
              type="button"
              class="pointer-events-auto -my-1 -mr-2 rounded-md border border-current/40 px-2.5 py-1 font-semibold hover:bg-paper hover:text-ink pointer-coarse:py-2"
              title={`${words.frame.help.undo} (${UNDO_KEY})`}
              onMouseEnter={pauseUndo}
              onMouseLeave={resumeUndo}
              onFocus={pauseUndo}
              onBlur={resumeUndo}
              onClick={undo}
            >
              {words.frame.help.undo}
            </button>
          )}
        </div>
      ))}
    </div>
  );
}
