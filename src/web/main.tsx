import { render } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Me } from '../doors/dashboard/wire.ts';
import { ApiFailure, me, read } from './api.ts';
import { Empty } from './parts.tsx';
import { door } from './places.ts';
import { segments } from './router.tsx';
import { LoadedPage, Shell } from './shell.tsx';
import './theme.ts';
import { Toasts } from './toast.tsx';

/** Loads the visitor. A 403 is final; any other error is retried, because the server may be starting. */
async function meet(): Promise<void> {
  try {
    me.value = await read<Me | null>('me');
  } catch (fault) {
    if (fault instanceof ApiFailure && fault.status === 403) refusal = fault.message;
    else setTimeout(() => void meet(), 1_500);
    if (refusal) me.value = null;
  }
}
let refusal: string | undefined;

const loadRefused = () => import('./door/refused.tsx');

function App() {
  useEffect(() => void meet(), []);
  return (
    <>
      <Face />
      <Toasts />
    </>
  );
}

function Face() {
  const [first] = segments.value;
  if (refusal) return <LoadedPage load={loadRefused} rest={[refusal]} />;
  if (door.load && (me.value === null || first === 'invite' || first === 'setup')) {
    return <LoadedPage load={door.load} rest={segments.value} />;
  }
  if (me.value === undefined) return null;
  if (me.value === null) return <Message title="You are not signed in">Use the API with a key.</Message>;
  return <Shell />;
}

function Message({ title, children }: { title: string; children: string }) {
  return (
    <main class="grid h-full place-items-center">
      <Empty icon="warn" title={title}>
        {children}
      </Empty>
    </main>
  );
}

render(<App />, document.getElementById('app')!);
