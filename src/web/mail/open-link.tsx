import { signal } from '@preact/signals';
import { Dialog } from '../dialog.tsx';
import { hostOf } from '../format.ts';
import { Icon } from '../icons.tsx';

const asked = signal<string | null>(null);

/** Schemes that a link of a mail may open. */
const OPENS = /^(?:https?:\/\/|mailto:)/i;

export function canOpen(url: string): boolean {
  return OPENS.test(url) && URL.canParse(url);
}

/** Asks before a link of a mail is opened in a new tab. A link of another scheme is ignored. */
export function askToOpen(url: string): void {
  if (canOpen(url)) asked.value = url;
}

/** Renders the question of `askToOpen`; mounted once, beside the message. */
export function OpenLinkQuestion() {
  if (asked.value === null) return null;
  const close = () => {
    asked.value = null;
  };
  return <OpenLink url={asked.value} onClose={close} />;
}

/** Links are opened only after a confirmation: opening one may use it up, or sign in somewhere unintended. */
function OpenLink({ url, onClose }: { url: string; onClose: () => void }) {
  const parts = URL.canParse(url) ? new URL(url) : null;
  const isPlain = parts?.protocol === 'http:';
  const isMail = parts?.protocol === 'mailto:';
  return (
    <Dialog title="Open this link?" onClose={onClose}>
      {isMail ? (
        <p class="text-soft">It opens a new message in your mail program.</p>
      ) : (
        <p class="text-soft">
          It opens <strong class="break-all text-ink">{hostOf(url)}</strong> in a new tab. Many sign-in links
          work only once.
        </p>
      )}
      <p class="mt-3 max-h-40 overflow-auto rounded-md bg-hover p-3 font-mono text-xs break-all">
        {parts?.host ? (
          <>
            <span class="text-faint">{`${parts.protocol}//`}</span>
            <span class="font-semibold">{parts.host}</span>
            <span class="text-soft">{url.slice(url.indexOf(parts.host) + parts.host.length)}</span>
          </>
        ) : (
          url
        )}
      </p>
      {isPlain && <p class="mt-2 text-sm text-warn">This link is not encrypted (http).</p>}
      <div class="mt-5 flex justify-end gap-2">
        <button type="button" class="button" onClick={onClose}>
          Cancel
        </button>
        <a
          class="button button-main"
          href={url}
          target="_blank"
          rel="noopener noreferrer"
          referrerpolicy="no-referrer"
          onClick={onClose}
        >
          {isMail ? 'Open mail program' : `Open ${hostOf(url)}`}
          <Icon name="open" />
        </a>
      </div>
    </Dialog>
  );
}
