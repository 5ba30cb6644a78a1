import { signal } from '@preact/signals';
import { Dialog } from '../dialog.tsx';
import { readHost } from '../format.ts';
import { Icon } from '../icons.tsx';
import { fill } from '../words/fill.ts';
import { words } from '../words/words.ts';

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
  const t = words.reading.link;
  const isPlain = parts?.protocol === 'http:';
  const isMail = parts?.protocol === 'mailto:';
  return (
    <Dialog title={t.openTitle} onClose={onClose}>
      {isMail ? (
        <p class="text-soft">{t.opensMail}</p>
      ) : (
        <p class="text-soft">
          {fill(t.opens, { host: <strong class="break-all text-ink">{readHost(url)}</strong> })}
        </p>
      )}
      <p class="mt-3 max-h-40 overflow-auto rounded-md bg-hover p-3 font-mono text-xs break-all">
        {parts?.host ? <Address of={parts} /> : (parts?.href ?? url)}
      </p>
      {isPlain && <p class="mt-2 text-sm text-warn">{t.inClear}</p>}
      <div class="mt-5 flex flex-wrap justify-end gap-2">
        <button type="button" class="button" onClick={onClose}>
          {words.frame.cancel}
        </button>
        <a
          class="button button-main max-w-full"
          href={url}
          target="_blank"
          rel="noopener noreferrer"
          referrerpolicy="no-referrer"
          onClick={onClose}
        >
          <span class="truncate">{isMail ? t.openMail : t.openHost(readHost(url))}</span>
          <Icon name="open" />
        </a>
      </div>
    </Dialog>
  );
}

/** As the browser requests it: other spellings could look like another host, or change the direction of the text. */
function Address({ of: { protocol, host, href } }: { of: URL }) {
  const hostEnd = href.indexOf('/', `${protocol}//`.length);
  return (
    <>
      <span class="text-faint">{href.slice(0, hostEnd - host.length)}</span>
      <span class="font-semibold">{host}</span>
      <span class="text-soft">{href.slice(hostEnd)}</span>
    </>
  );
}
