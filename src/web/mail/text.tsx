import { useEffect, useMemo, useState } from 'preact/hooks';
import type { OpenedMessage } from '../../doors/dashboard/wire.ts';
import { CopyButton, Skeleton } from '../parts.tsx';
import { showFault } from '../toast.tsx';
import { words } from '../words/words.ts';
import { askToOpen } from './open-link.tsx';
import { fixedWidth } from './remembered.ts';
import { Switch } from './switch.tsx';
import { cutLinks } from './text-links.ts';

/** Characters of text that are shown; a copy has all of it. */
const SHOWN_CHARS = 256 * 1024;

/** The message's text, or that of its HTML if it has none. */
export function TextTab({ message: { text, html } }: { message: Pick<OpenedMessage, 'text' | 'html'> }) {
  const t = words.reading.text;
  const isMade = text.trim() === '' && html !== '';
  const made = useTextOf(isMade ? html : null);
  if (isMade && made === null) return <Skeleton rows={4} />;
  const shown = isMade ? made! : text;
  if (shown.trim() === '') return <p class="text-soft">{t.none}</p>;
  return (
    <>
      <div class="mb-3 flex flex-wrap items-center gap-x-4 gap-y-2">
        <Switch is={fixedWidth} name={t.fixedWidth} />
        {isMade && <span class="text-xs text-faint">{t.made}</span>}
        <div class="flex-1" />
        <CopyButton text={shown} what={words.reading.tabs.text} label={t.copy} />
      </div>
      <Text text={shown.slice(0, SHOWN_CHARS)} />
      {shown.length > SHOWN_CHARS && <p class="mt-3 text-sm text-soft">{t.cut}</p>}
    </>
  );
}

function useTextOf(html: string | null): string | null {
  const [made, setMade] = useState<string | null>(null);
  useEffect(() => {
    if (html === null) return;
    import('./html-text.ts').then(({ makeText }) => setMade(makeText(html))).catch(showFault);
  }, [html]);
  return made;
}

function Text({ text }: { text: string }) {
  const pieces = useMemo(() => cutLinks(text), [text]);
  return (
    <pre
      dir="auto"
      class={`[unicode-bidi:plaintext] whitespace-pre-wrap wrap-anywhere ${
        fixedWidth.value ? 'font-mono text-sm leading-5' : 'max-w-[72ch] font-sans text-base leading-relaxed'
      }`}
    >
      {pieces.map(({ text, isLink }, index) => (isLink ? <TextLink key={index} url={text} /> : text))}
    </pre>
  );
}

/** A link that asks before it opens, whichever mouse button or key is used. */
function TextLink({ url }: { url: string }) {
  const onClick = (event: MouseEvent) => {
    // The right button opens the browser's menu, which can open or copy a link itself.
    if (event.button === 2) return;
    event.preventDefault();
    askToOpen(url);
  };
  return (
    <a
      class="text-accent underline decoration-edge underline-offset-2 break-all hover:decoration-current"
      href={url}
      target="_blank"
      rel="noopener noreferrer"
      referrerpolicy="no-referrer"
      onClick={onClick}
      onAuxClick={onClick}
    >
      <bdi>{url}</bdi>
    </a>
  );
}
