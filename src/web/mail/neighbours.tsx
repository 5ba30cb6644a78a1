import { IconButton } from '../parts.tsx';
import { number } from '../words/amounts.ts';
import { words } from '../words/words.ts';
import { groups, hasMoreRows, loadMore } from './list.ts';
import { openRow } from './row.tsx';
import { shownMessage } from './shown.ts';

/** The next page is loaded this many mails before the last one. */
const NEAR_END = 5;

/** The mails before and after the open one, in the order of the list, and its place in it. */
export function Neighbours() {
  const list = groups.value;
  const shown = shownMessage.value;
  const at = shown === null ? -1 : list.findIndex(({ ids }) => ids.includes(shown));
  if (at < 0) return null;
  const open = (index: number) => {
    const group = list[index];
    if (group) openRow(group);
    if (index >= list.length - NEAR_END) void loadMore();
  };
  return (
    <div class="flex min-w-0 items-center">
      <IconButton
        icon="back"
        label={words.frame.help.previous}
        shortcut="k"
        class="[&_svg]:rotate-90"
        disabled={at === 0}
        onClick={() => open(at - 1)}
      />
      <span class="px-1 text-xs whitespace-nowrap text-faint tabular-nums max-sm:hidden">
        {words.frame.outOf(number(at + 1), `${number(list.length)}${hasMoreRows() ? '+' : ''}`)}
      </span>
      <IconButton
        icon="forward"
        label={words.frame.help.next}
        shortcut="j"
        class="[&_svg]:rotate-90"
        disabled={at === list.length - 1}
        onClick={() => open(at + 1)}
      />
    </div>
  );
}
