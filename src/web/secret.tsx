import type { ComponentChildren } from 'preact';
import { Dialog } from './dialog.tsx';
import { CopyButton } from './parts.tsx';
import { words } from './words/words.ts';

/** Shows a secret that is shown only once: a key, a signing secret, a link. */
export function SecretDialog({
  title,
  secret,
  what,
  onClose,
  children,
}: {
  title: string;
  secret: string;
  what: string;
  onClose: () => void;
  children: ComponentChildren;
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="mb-3 text-sm text-soft">{children}</div>
      <div class="rounded-md bg-hover px-3 py-2.5 font-mono text-sm break-all select-all">{secret}</div>
      <div class="mt-5 flex flex-wrap justify-end gap-2">
        <CopyButton text={secret} what={what} label={words.frame.copy} />
        <button type="button" class="button button-main" onClick={onClose}>
          {words.frame.done}
        </button>
      </div>
    </Dialog>
  );
}
