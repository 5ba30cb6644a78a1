import { useEffect, useRef, useState } from 'preact/hooks';
import type { SingleSignOnState, WayToProvider } from '../../features/accounts/oidc/wire.ts';
import type { PasskeyState } from '../../features/accounts/passkeys/wire.ts';
import { me, send } from '../api.ts';
import { useData, useSubmit } from '../data.ts';
import { shortTime } from '../format.ts';
import { FormDialog } from '../forms.tsx';
import { findOidcProblem, goToProvider, isFromProvider } from '../provider.ts';
import { Fault, Part, Row, Rows } from '../rows.tsx';
import { words } from '../words/words.ts';
import { ProofField, useProof } from './proof.tsx';

/** Whether the person can sign in with OpenID Connect, and connecting it. */
export function SingleSignOn({ passkeys }: { passkeys: PasskeyState | undefined }) {
  const t = words.account.singleSignOn;
  const { data } = useData<SingleSignOnState>('single-sign-on');
  const [isOpen, setOpen] = useState(false);
  const part = useRef<HTMLDivElement>(null);
  const isShown = data !== undefined && passkeys !== undefined;
  useEffect(() => {
    // Back from the provider, the person looks for what has become of it.
    if (isShown && isFromProvider()) part.current?.scrollIntoView({ block: 'center' });
  }, [isShown]);
  if (!data?.is_on) return null;
  const isConnected = data.connected_at !== null;
  return (
    <div ref={part}>
      <Part
        title={t.title}
        about={t.about}
        actions={
          !isConnected && (
            <button type="button" class="button" onClick={() => setOpen(true)}>
              {t.connect}
            </button>
          )
        }
      >
        {!isConnected && <Fault>{findOidcProblem({ ...words.door.oidcProblems, ...t.problems })}</Fault>}
        <Rows label={t.title}>
          <Row>
            <p class="text-sm text-soft">
              {data.connected_at === null ? t.notConnected : t.connected(shortTime(data.connected_at))}
            </p>
          </Row>
        </Rows>
        {isOpen && passkeys && <ConnectDialog state={passkeys} onClose={() => setOpen(false)} />}
      </Part>
    </div>
  );
}

function ConnectDialog({ state, onClose }: { state: PasskeyState; onClose: () => void }) {
  const t = words.account.singleSignOn;
  const proof = useProof(state);
  const submit = useSubmit(async () => {
    goToProvider(await send<WayToProvider>('POST', 'single-sign-on', await proof.read()));
  });
  return (
    <FormDialog
      title={t.connectTitle}
      onClose={onClose}
      submit={submit}
      action={t.connect}
      fault={submit.fault ?? submit.findFault('passkey')}
      about={t.connectBody(me.value?.user?.email ?? '')}
    >
      <ProofField of={proof} fault={submit.findFault('current_password')} />
    </FormDialog>
  );
}
