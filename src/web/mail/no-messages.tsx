import { lazily } from '../lazy.tsx';
import { LoadedPage } from '../loaded-page.tsx';
import { Empty } from '../parts.tsx';
import { searched } from '../router.tsx';
import { words } from '../words/words.ts';
import { shownInbox, shownMessage } from './shown.ts';

const NoMatch = lazily(async () => (await import('./no-match.tsx')).NoMatch, ['search']);
const loadFirstSteps = () => import('./first-steps.tsx');

/** Shown instead of an empty list. */
export function NoMessages() {
  if (searched.value.trim() !== '') return <NoMatch />;
  const inbox = shownInbox.value;
  if (shownMessage.value === null && inbox !== null) {
    return <LoadedPage key={inbox} load={loadFirstSteps} areas={['trap', 'steps']} rest={[inbox]} />;
  }
  return (
    <Empty icon="inbox" title={words.list.empty}>
      {words.list.emptyBody}
    </Empty>
  );
}
