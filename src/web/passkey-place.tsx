import type { PasskeyPlace } from '../features/accounts/passkeys/wire.ts';
import { home } from './base.ts';
import { fill } from './words/fill.ts';
import { words } from './words/words.ts';

/** Why passkeys don't work on this page. */
export function PlaceNote({ of: { origin, problem } }: { of: PasskeyPlace }) {
  const t = words.passkeys.places;
  if (origin === null) return <>{t[problem]}</>;
  if (origin === location.origin) return <>{t.old_browser}</>;
  // The server's localhost can't be opened from another machine.
  if (isLocal(new URL(origin)) && !isLocal(location)) return <>{t.no_https}</>;
  const address = (
    <a class="text-accent underline" href={origin + home}>
      {origin + home}
    </a>
  );
  return <>{fill(t.elsewhere, { address })}</>;
}

const isLocal = ({ hostname }: Pick<URL, 'hostname'>) => /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
