import { me } from './api.ts';
import { Dialog } from './dialog.tsx';
import { isMac } from './keys.ts';
import { words } from './words/words.ts';

type HelpWords = typeof words.frame.help;

const groupsIn = (t: HelpWords): [title: string, keys: [keys: string[], what: string][]][] => [
  [
    t.messages,
    [
      [['j'], t.next],
      [['k'], t.previous],
      [['o'], t.open],
      [['u'], t.back],
      ...(me.value?.outbound ? [[['r'], words.reading.reply] as [string[], string]] : []),
      [['c'], t.copyCode],
      [['y'], t.copyOther],
      [['l'], t.addTag],
      [['f'], t.fullPage],
      [['w'], t.foldList],
      [['z'], t.undo],
      [['e'], t.markRead],
      [['#'], t.delete],
      [['x'], t.select],
    ],
  ],
  [
    t.general,
    [
      [['/'], t.search],
      [[isMac ? '⌘' : 'Ctrl', 'K'], t.palette],
      [['t'], t.theme],
      [['?'], t.title],
      [['Esc'], t.escape],
    ],
  ],
];

const searchesIn = (t: HelpWords): [typed: string, what: string][] => [
  ['from:ann', t.from('ann')],
  ['subject:"sign in"', t.subject('sign in')],
  ['is:unread', t.unread],
  ['has:code', t.hasCode],
];

export function Help({ onClose }: { onClose: () => void }) {
  const t = words.frame.help;
  return (
    <Dialog title={t.title} wide onClose={onClose}>
      <div class="grid gap-x-10 gap-y-6 sm:grid-cols-2">
        {groupsIn(t).map(([title, keys]) => (
          <section key={title}>
            <h3 class="mb-2 text-sm font-semibold text-soft">{title}</h3>
            <dl class="space-y-1.5">
              {keys.map(([names, what]) => (
                <div key={what} class="flex items-center gap-3">
                  <dt class="flex w-20 flex-none gap-1">
                    {names.map((name) => (
                      <kbd key={name} class="key">
                        {name}
                      </kbd>
                    ))}
                  </dt>
                  <dd>{what}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
        <section class="sm:col-span-2">
          <h3 class="mb-2 text-sm font-semibold text-soft">{t.filters}</h3>
          <dl class="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5 sm:grid-cols-[auto_1fr_auto_1fr]">
            {searchesIn(t).map(([typed, what]) => (
              <div key={typed} class="contents">
                <dt class="font-mono text-sm">{typed}</dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
        </section>
      </div>
    </Dialog>
  );
}
