import { signal } from '@preact/signals';
import { Dialog } from './dialog.tsx';
import { isMac } from './keys.ts';

export const helpShown = signal(false);

const groups: Record<string, [keys: string[], what: string][]> = {
  Messages: [
    [['j'], 'Next message'],
    [['k'], 'Previous message'],
    [['o'], 'Open message'],
    [['u'], 'Back to list'],
    [['c'], 'Copy code'],
    [['e'], 'Mark as read or unread'],
    [['#'], 'Delete'],
    [['x'], 'Select'],
  ],
  General: [
    [['/'], 'Search messages'],
    [[isMac ? '⌘' : 'Ctrl', 'K'], 'Command palette'],
    [['t'], 'Switch theme'],
    [['?'], 'Keyboard shortcuts'],
    [['Esc'], 'Close, or clear selection'],
  ],
};

const searches: [string, string][] = [
  ['from:ann', 'Sender contains “ann”'],
  ['subject:"sign in"', 'Subject contains “sign in”'],
  ['is:unread', 'Unread messages'],
  ['has:code', 'Messages with a code'],
];

export function Help() {
  return (
    <Dialog
      title="Keyboard shortcuts"
      wide
      onClose={() => {
        helpShown.value = false;
      }}
    >
      <div class="grid gap-x-10 gap-y-6 sm:grid-cols-2">
        {Object.entries(groups).map(([title, keys]) => (
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
          <h3 class="mb-2 text-sm font-semibold text-soft">Search filters</h3>
          <dl class="grid gap-1.5 sm:grid-cols-2">
            {searches.map(([words, what]) => (
              <div key={words} class="flex gap-3">
                <dt class="w-36 flex-none font-mono text-sm">{words}</dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
        </section>
      </div>
    </Dialog>
  );
}
