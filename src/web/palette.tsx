import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import type { InboxWithUnread } from '../doors/dashboard/wire.ts';
import type { PageView } from '../platform/http/wire.ts';
import { call, query } from './api.ts';
import { Dialog } from './dialog.tsx';
import { Icon, type IconName } from './icons.tsx';
import { helpShown } from './keys.ts';
import { inboxes } from './mail/inboxes.ts';
import { toggleNotifying } from './mail/live.ts';
import { placeName, placesFor } from './places.ts';
import { go, pathTo } from './router.tsx';
import { theme } from './theme.ts';
import { words } from './words/words.ts';

export const paletteShown = signal(false);

interface Command {
  id: string;
  name: string;
  detail?: string;
  icon: IconName;
  run: () => void;
}

const SHOWN_MAX = 12;
/** The server is searched for inboxes after a pause in typing. */
const ASK_AFTER_MS = 120;

function commands(): Command[] {
  return [
    { id: 'all', name: words.frame.palette.allMail, icon: 'mail', run: () => go(pathTo('all')) },
    ...placesFor().map((place) => ({
      id: place.path,
      name: placeName(place),
      icon: place.icon,
      run: () => go(pathTo(place.path)),
    })),
    ...(['light', 'dark', 'system'] as const).map((which) => ({
      id: which,
      name: words.frame.themes[which],
      icon: ({ light: 'sun', dark: 'moon', system: 'screen' } as const)[which],
      run: () => {
        theme.value = which;
      },
    })),
    { id: 'notify', name: words.frame.palette.notify, icon: 'bell', run: () => void toggleNotifying() },
    {
      id: 'help',
      name: words.frame.help.title,
      icon: 'help',
      run: () => {
        helpShown.value = true;
      },
    },
  ];
}

/** The command palette (Cmd-K): finds inboxes, pages and commands by part of their name. */
export function Palette() {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const found = useFound(text);
  const close = () => {
    paletteShown.value = false;
  };
  const run = (command: Command | undefined) => {
    if (!command) return;
    close();
    command.run();
  };
  const current = Math.min(at, found.length - 1);
  return (
    <Dialog title={words.frame.palette.title} onClose={close}>
      <input
        type="text"
        role="combobox"
        aria-label={words.frame.palette.search}
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={found[current] ? `palette-${found[current].id}` : undefined}
        class="field"
        autofocus
        placeholder={words.frame.palette.search}
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
          if (by !== undefined) setAt((current + by + found.length) % Math.max(1, found.length));
          else if (event.key === 'Enter') run(found[current]);
          else return;
          event.preventDefault();
        }}
      />
      <FoundList found={found} current={current} onPoint={setAt} onChoose={run} />
    </Dialog>
  );
}

interface FoundListProps {
  found: Command[];
  current: number;
  onPoint: (index: number) => void;
  onChoose: (command: Command) => void;
}

function FoundList({ found, current, onPoint, onChoose }: FoundListProps) {
  return (
    <div id="palette-list" role="listbox" aria-label={words.frame.palette.results} class="mt-3 min-h-40">
      {found.map((command, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys.
        <div
          key={command.id}
          id={`palette-${command.id}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === current}
          class={`flex cursor-pointer items-center gap-2.5 rounded-md px-2.5 py-1.5 ${index === current ? 'bg-tint text-tintink' : ''}`}
          onMouseMove={() => onPoint(index)}
          onClick={() => onChoose(command)}
        >
          <Icon name={command.icon} />
          <span class="truncate">{command.name}</span>
          {command.detail && <span class="min-w-0 flex-1 truncate text-right text-xs">{command.detail}</span>}
        </div>
      ))}
    </div>
  );
}

function useFound(text: string): Command[] {
  const [matching, setMatching] = useState<InboxWithUnread[]>(inboxes.peek().slice(0, SHOWN_MAX));
  useEffect(() => {
    const timer = setTimeout(() => {
      call<PageView<InboxWithUnread>>('GET', `inboxes${query({ q: text, limit: SHOWN_MAX })}`)
        .then(({ data }) => setMatching(data))
        .catch(() => {});
    }, ASK_AFTER_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const needle = text.trim().toLowerCase();
  const own = commands().filter(({ name }) => name.toLowerCase().includes(needle));
  const boxes = matching
    .filter(({ address, label }) => `${address} ${label}`.toLowerCase().includes(needle))
    .map(
      ({ id, address, label }): Command => ({
        id,
        name: label || address,
        ...(label ? { detail: address } : {}),
        icon: 'inbox',
        run: () => go(pathTo('inbox', id)),
      }),
    );
  return (needle === '' ? [...boxes.slice(0, 4), ...own] : [...boxes, ...own]).slice(0, SHOWN_MAX);
}
