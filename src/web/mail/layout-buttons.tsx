import { IconButton } from '../parts.tsx';
import { words } from '../words/words.ts';
import { fullPage, listFolded, toggleFullPage, toggleList } from './layout.ts';

/** Folds the list, where there is room for both. */
export function FoldButton() {
  if (fullPage.value) return null;
  return (
    <IconButton
      icon="panel"
      label={listFolded.value ? words.reading.showList : words.reading.hideList}
      shortcut="w"
      pressed={listFolded.value}
      class="max-lg:hidden"
      onClick={toggleList}
    />
  );
}

/** The subject stays in sight on a full page. */
export function BarTitle({ subject }: { subject: string }) {
  return (
    <p class="min-w-0 flex-1 truncate px-2 text-sm font-medium">
      {fullPage.value && (subject || words.list.noSubject)}
    </p>
  );
}

export function FullPageButton() {
  return (
    <IconButton
      icon={fullPage.value ? 'shrink' : 'grow'}
      label={fullPage.value ? words.reading.leaveFullPage : words.frame.help.fullPage}
      shortcut="f"
      pressed={fullPage.value}
      class={fullPage.value ? '' : 'max-sm:hidden'}
      onClick={toggleFullPage}
    />
  );
}
