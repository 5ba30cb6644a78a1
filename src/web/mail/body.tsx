import { useState } from 'preact/hooks';
import type { OpenedMessage } from '../../doors/dashboard/wire.ts';
import { lazily } from '../lazy.tsx';
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

export function MessageBody({ message }: { message: OpenedMessage }) {
  const tabs = listTabs(message);
  const [chosen, setChosen] = useState(tabs[0]!.name);
  const current = tabs.find(({ name }) => name === chosen) ?? tabs[0]!;
  return (
    <div class={`flex flex-1 flex-col ${fullPage.value ? '' : 'mt-4'}`}>
      <div class={fullPage.value ? 'hidden' : ''}>
        <TabStrip tabs={tabs} current={current} onChoose={setChosen} />
      </div>
      <div
        id="tab-panel"
        role="tabpanel"
        aria-labelledby={`tab-${current.name}`}
        class={`flex flex-1 flex-col pt-4 ${current.isFlush ? '' : 'pb-4'}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a panel may have nothing focusable in it.
        tabIndex={0}
      >
        {current.show()}
      </div>
    </div>
  );
}

interface TabStripProps {
  tabs: Tab[];
  current: Tab;
  onChoose: (name: TabName) => void;
}

function TabStrip({ tabs, current, onChoose }: TabStripProps) {
  return (
    <div
      role="tablist"
      aria-label={words.reading.tabs.title}
      class="-mx-4 flex gap-1 overflow-x-auto border-b border-line px-4 sm:-mx-6 sm:px-6"
      onKeyDown={(event) => {
        const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (by === undefined) return;
        const next = tabs[(tabs.indexOf(current) + by + tabs.length) % tabs.length]!;
        onChoose(next.name);
        document.getElementById(`tab-${next.name}`)?.focus();
      }}
    >
      {tabs.map((tab) => (
        <button
          key={tab.name}
          id={`tab-${tab.name}`}
          type="button"
          role="tab"
          aria-selected={tab === current}
          aria-controls="tab-panel"
          tabIndex={tab === current ? 0 : -1}
          class={`-mb-px flex-none border-b-2 px-2.5 py-2 text-sm font-medium pointer-coarse:py-3 ${
            tab === current ? 'border-accent text-ink' : 'border-transparent text-soft hover:text-ink'
          }`}
          onClick={() => onChoose(tab.name)}
        >
          {words.reading.tabs[tab.name]}
          {tab.count !== undefined && <span class="ml-1.5 text-xs text-faint tabular-nums">{tab.count}</span>}
        </button>
      ))}
    </div>
  );
}
