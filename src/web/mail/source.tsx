import { useEffect, useMemo, useState } from 'preact/hooks';
import type { OpenedMessage } from '../../doors/dashboard/wire.ts';
import { apiPath } from '../base.ts';
import { Icon } from '../icons.tsx';
import { CopyButton } from '../parts.tsx';
import { Loaded } from '../rows.tsx';
import { Segmented } from '../segmented.tsx';
import { words } from '../words/words.ts';
import { useRaw } from './raw.ts';
import { indented, wrapLines } from './remembered.ts';
import { CodeView } from './source/code-view.tsx';
import { colourHtml, indentHtml } from './source/html.ts';
import { colourMail } from './source/mail.ts';
import { Switch } from './switch.tsx';

/** Characters of HTML that are shown; the download has all of it. */
const SHOWN_CHARS = 256 * 1024;

type Side = 'html' | 'raw';

/** The message as received, and its decoded HTML. */
export function Source({ message }: { message: OpenedMessage }) {
  const t = words.source.sides;
  const sides: Side[] = message.html ? ['html', 'raw'] : ['raw'];
  const [side, setSide] = useState<Side>(sides[0]!);
  const tabs = <Segmented label={t.title} keys={sides} names={t} current={side} onChoose={setSide} />;
  return side === 'html' ? (
    <HtmlSource message={message}>{tabs}</HtmlSource>
  ) : (
    <RawSource id={message.id}>{tabs}</RawSource>
  );
}

interface SideProps {
  children: preact.ComponentChildren;
}

function HtmlSource({ message, children }: SideProps & { message: OpenedMessage }) {
  const t = words.source;
  const { html, id, truncated } = message;
  const isCut = html.length > SHOWN_CHARS;
  const text = useMemo(() => {
    const shown = html.slice(0, SHOWN_CHARS).replace(/\r\n?/g, '\n');
    return indented.value ? indentHtml(shown) : shown;
  }, [html, indented.value]);
  const coloured = useMemo(() => colourHtml(text), [text]);
  return (
    <>
      <Bar>
        {children}
        <Switch is={wrapLines} name={t.wrap} />
        <Switch is={indented} name={t.indent} />
        <div class="flex-1" />
        <CopyButton text={html} what={words.reading.tabs.html} label={t.copyHtml} />
        <Download name={`${id}.html`} text={html} />
      </Bar>
      {isCut && <Cut>{t.htmlCut}</Cut>}
      {!isCut && truncated && <Cut>{t.tooLarge}</Cut>}
      <CodeView {...coloured} text={text} label={t.htmlSource} isWrapped={wrapLines.value} />
    </>
  );
}

function RawSource({ id, children }: SideProps & { id: string }) {
  const t = words.source;
  const loading = useRaw(id);
  const raw = loading.data;
  const text = raw?.text.replace(/\r\n?/g, '\n') ?? '';
  const coloured = useMemo(() => colourMail(text), [text]);
  return (
    <>
      <Bar>
        {children}
        <Switch is={wrapLines} name={t.wrap} />
        <div class="flex-1" />
        {raw && <CopyButton text={raw.text} what={words.reading.tabs.source} label={t.copy} />}
        <a class="button" href={apiPath(`messages/${id}/raw`)} download={`${id}.eml`}>
          <Icon name="download" />
          {words.reading.files.download}
        </a>
      </Bar>
      {raw?.isCut && <Cut>{t.rawCut}</Cut>}
      <Loaded of={loading} rows={4}>
        {() => <CodeView {...coloured} text={text} label={t.rawSource} isWrapped={wrapLines.value} />}
      </Loaded>
    </>
  );
}

const Bar = ({ children }: SideProps) => (
  <div class="mb-3 flex flex-wrap items-center gap-x-4 gap-y-2">{children}</div>
);

const Cut = ({ children }: SideProps) => (
  <p class="mb-3 flex items-center gap-2 rounded-md bg-warntint px-3 py-2 text-sm text-warn">
    <Icon name="warn" />
    {children}
  </p>
);

function Download({ name, text }: { name: string; text: string }) {
  const [url, setUrl] = useState('');
  useEffect(() => () => URL.revokeObjectURL(url), [url]);
  return (
    <a
      class="button"
      href={url || '#'}
      download={name}
      onClick={({ currentTarget }) => {
        const made = URL.createObjectURL(new Blob([text], { type: 'text/html;charset=utf-8' }));
        currentTarget.href = made;
        setUrl(made);
      }}
    >
      <Icon name="download" />
      {words.reading.files.download}
    </a>
  );
}
