import './storage.ts';
import { render } from 'preact';
import type { Me } from '../doors/dashboard/wire.ts';
import { ApiFailure, me, read } from './api.ts';
import { LoadedPage } from './loaded-page.tsx';
import { claimTabs } from './own-drafts.ts';
import { segments } from './router.tsx';
import { Shell } from './shell.tsx';
import './theme.ts';
import { Toasts } from './toast.tsx';
import { startWords } from './words/start.ts';

// At the same time as the visitor. No `await` at the top level: Bun would split the first load into nine files, 2 KB
// larger.
const language = startWords();

/**
 * Loads the visitor, then shows the page instead of what index.html shows meanwhile. A 403 is final; any other error is
 * retried, because the server may be starting.
 */
async function start(): Promise<void> {
  try {
    me.value = await read<Me | null>('me');
    if (me.value) claimTabs();
  } catch (fault) {
    if (!(fault instanceof ApiFailure && fault.status === 403)) {
      setTimeout(() => void start(), 1_500);
      return;
    }
    refusal = fault.message;
    me.value = null;
  }
  await language;
  render(<App />, document.getElementById('app')!);
}
let refusal: string | undefined;

const loadRefused = () => import('./door/refused.tsx');
/** The page for visitors who are not signed in, and for `/invite/…` and `/setup/…`. */
const loadDoor = () => import('./door/door.tsx');

function App() {
  return (
    <>
      <Screen />
      <Toasts />
    </>
  );
}

function Screen() {
  const [first] = segments.value;
  if (refusal) return <LoadedPage load={loadRefused} areas={['door']} rest={[refusal]} />;
  if (me.value === null || first === 'invite' || first === 'setup') {
    return <LoadedPage load={loadDoor} areas={['door', 'passkeys']} rest={segments.value} />;
  }
  return <Shell />;
}

void start();
