import type { OpenedMessage } from '../../doors/dashboard/wire.ts';
import { me } from '../api.ts';
import { serverUrl } from '../base.ts';
import { Dialog } from '../dialog.tsx';
import { readAddress } from '../format.ts';
import { Icon } from '../icons.tsx';
import { copy } from '../toast.tsx';
import { words } from '../words/words.ts';

interface CopyDialogProps {
  message: OpenedMessage;
  onClose: () => void;
}

/** Lists the values of a message that a test or a bug report needs, each with a copy button. */
export function CopyDialog({ message, onClose }: CopyDialogProps) {
  const values = listValues(message).filter(([, value]) => value !== null && value !== '');
  return (
    <Dialog title={words.frame.copy} wide onClose={onClose}>
      <ul class="-mx-2">
        {values.map(([name, value], index) => (
          <li key={name}>
            <button
              type="button"
              autofocus={index === 0}
              class="group/copy grid w-full grid-cols-[7.5rem_minmax(0,1fr)_auto] items-center gap-2 rounded-md px-2 py-1.5 text-left hover:bg-hover pointer-coarse:py-3"
              onClick={() => {
                void copy(value!, name);
                onClose();
              }}
            >
              <span class="text-sm text-soft">{name}</span>
              <span class="truncate font-mono text-xs">
                <bdi>{value!.slice(0, 200)}</bdi>
              </span>
              <Icon name="copy" class="size-4! text-faint group-hover/copy:text-ink" />
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

function listValues(message: OpenedMessage): [name: string, value: string | null][] {
  const t = words.delivery;
  const url = `${serverUrl}/api/v1/messages/${message.id}`;
  const key = me.value?.capture ? '' : ' -H "Authorization: Bearer $POSTERN_API_KEY"';
  return [
    [t.copies.code, message.otp],
    [words.reading.link.link, message.magic_link],
    [t.copies.subject, message.subject],
    [words.reading.head.sender, readAddress(message.from)],
    [t.copies.recipient, message.envelope_recipient],
    [t.copies.inboxAddress, message.address],
    [t.facts.id, message.id],
    ['Message-ID', message.message_id],
    [t.copies.apiUrl, url],
    [t.copies.curl, `curl -sS${key} "${url}"`],
    [t.copies.page, location.href],
    [words.reading.tabs.text, message.text],
    [words.reading.tabs.html, message.html],
  ];
}
