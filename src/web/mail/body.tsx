import { useState } from 'preact/hooks';
import type { OpenedMessage } from '../../doors/dashboard/wire.ts';
import { lazily } from '../lazy.tsx';
import { findTabId, TabList } from '../tabs.tsx';
import { words } from '../words/words.ts';
import { HtmlFrame } from './html-frame.tsx';
import { fullPage } from './layout.ts';
import { TextTab } from './text.tsx';

const ChecksTab = lazily(async () => (await import('./checks.tsx')).default, ['checks']);
const DeliveryTab = lazily(async () => (await import('./delivery.tsx')).DeliveryTab, ['delivery', 'rules']);
const Links = lazily(async () => (await import('./links.tsx')).Links);
const Headers = lazily(async () => (await import('./headers.tsx')).Headers, ['source']);
const Source = lazily(async () => (await import('./source.tsx')).Source, ['source']);

type TabName = Exclude<keyof typeof words.reading.tabs, 'title'>;

interface Tab {
  name: TabName;
  count?: number;
  show: () => preact.JSX.Element;
  /** Extends to the bottom of the pane. */
  isFlush?: true;
}

/** The tabs that this message has. */
function listTabs(message: OpenedMessage): Tab[] {
  const tabs: (Tab | false)[] = [
    message.html !== '' && {
      name: 'html',
      show: () => <HtmlFrame path={`messages/${message.id}`} remoteContent={message.remote_content} />,
      isFlush: true,
    },
    { name: 'text', show: () => <TextTab message={message} /> },
    message.links.length > 0 && {
      name: 'links',
      count: message.links.length,
      show: () => <Links links={message.links} />,
    },
    { name: 'headers', show: () => <Headers id={message.id} /> },
    { name: 'source', show: () => <Source message={message} /> },
    { name: 'checks', show: () => <ChecksTab id={message.id} /> },
    { name: 'delivery', show: () => <DeliveryTab message={message} /> },
  ];
  return tabs.filter((tab) => tab !== false);
}

const PANEL = 'tab-panel';

export function MessageBody({ message }: { message: OpenedMessage }) {
  const tabs = listTabs(message);
  const [chosen, setChosen] = useState(tabs[0]!.name);
  const current = tabs.find(({ name }) => name === chosen) ?? tabs[0]!;
  return (
    <div class={`flex flex-1 flex-col ${fullPage.value ? '' : 'mt-4'}`}>
      <div class={fullPage.value ? 'hidden' : ''}>
        <TabList
          label={words.reading.tabs.title}
          panelId={PANEL}
          tabs={tabs}
          current={current}
          render={renderName}
          onChoose={(tab) => setChosen(tab.name)}
          class="-mx-4 gap-1 px-4 sm:-mx-6 sm:px-6"
        />
      </div>
      <div
        id={PANEL}
        role="tabpanel"
        aria-labelledby={findTabId(PANEL, current.name)}
        class={`flex flex-1 flex-col pt-4 ${current.isFlush ? '' : 'pb-4'}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a panel may have nothing focusable in it.
        tabIndex={0}
      >
        {current.show()}
      </div>
    </div>
  );
}

function renderName({ name, count }: Tab) {
  return (
    <>
      {words.reading.tabs[name]}
      {count !== undefined && <span class="ml-1.5 text-xs text-faint tabular-nums">{count}</span>}
    </>
  );
}
