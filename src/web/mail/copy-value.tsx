import type { ComponentChildren } from 'preact';
import { Icon } from '../icons.tsx';
import { copy } from '../toast.tsx';
import { words } from '../words/words.ts';

interface CopyValueProps {
  text: string;
  /** For the label and the confirmation: `Address`. */
  what: string;
  class?: string;
  children?: ComponentChildren;
}

/** A value that a click copies. The icon shows for a pointer above it, for the keyboard, and always for fingers. */
export function CopyValue({ text, what, class: more = '', children }: CopyValueProps) {
  return (
    <button
      type="button"
      class={`group/copy -mx-1 min-h-6 max-w-full rounded-sm px-1 text-left wrap-anywhere hover:bg-hover hover:text-ink ${more}`}
      title={words.frame.copyOne(what)}
      onClick={() => void copy(text, what)}
    >
      {children ?? <bdi>{text}</bdi>}
      <Icon
        name="copy"
        class="ml-1 inline size-3.5! align-[-0.15em] text-faint opacity-0 group-hover/copy:opacity-100 group-focus-visible/copy:opacity-100 pointer-coarse:opacity-100"
      />
    </button>
  );
}
