import { useEffect, useRef, useState } from 'preact/hooks';
import type { SingleSignOnState, WayToProvider } from '../../features/accounts/oidc/wire.ts';
import type { PasskeyState } from '../../features/accounts/passkeys/wire.ts';
import { call, me, send } from '../api.ts';
import { useData, useSubmit } from '../data.ts';
import { shortTime } from '../format.ts';
import { FormDialog } from '../forms.tsx';
import { findOidcProblem, goToProvider, isFromProvider } from '../provider.ts';
import { Fault, Part, Row, Rows } from '../rows.tsx';
import { showToast } from '../toast.tsx';
import { words } from '../words/words.ts';
import { ProofField, useProof } from './proof.tsx';

/** Whether the person can sign in with OpenID Connect, connecting it, and removing that. */
export function SingleSignOn({ passkeys }: { passkeys: PasskeyState | undefined }) {
  const t = words.account.singleSignOn;
  const { data, reload } = useData<SingleSignOnState>('single-sign-on');
  const [open, setOpen] = useState<'connect' | 'remove' | null>(null);
  const close = () => setOpen(null);
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
            <button type="button" class="button" onClick={() => setOpen('connect')}>
              {t.connect}
            </button>
          )
        }
      >
        {!isConnected && <Fault>{findOidcProblem({ ...words.door.oidcProblems, ...t.problems })}</Fault>}
        <Rows label={t.title}>
          {data.connected_at === null ? (
            <Row>
              <p class="text-sm text-soft">{t.notConnected}</p>
            </Row>
          ) : (
            <Row
              actions={
                <button type="button" class="button" onClick={() => setOpen('remove')}>
                  {words.frame.remove}
                </button>
              }
            >
              <p class="font-medium wrap-anywhere">{data.issuer}</p>
              <p class="text-sm wrap-anywhere text-soft">
                {data.email !== null && `${data.email} · `}
                {t.connected(shortTime(data.connected_at))}
              </p>
            </Row>
          )}
        </Rows>
        {open === 'connect' && passkeys && <ConnectDialog state={passkeys} onClose={close} />}
        {open === 'remove' && passkeys && (
          <RemoveDialog state={passkeys} isByEmail={data.by_email} onClose={close} onDone={reload} />
        )}
      </Part>
    </div>
  );
}

interface ConnectProps {
  state: PasskeyState;
  onClose: () => void;
}

function ConnectDialog({ state, onClose }: ConnectProps) {
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

interface RemoveProps extends ConnectProps {
  /** Whether it is connected again by itself. */
  isByEmail: boolean;
  onDone: () => Promise<void>;
}

function RemoveDialog({ state, isByEmail, onClose, onDone }: RemoveProps) {
  const t = words.account.singleSignOn;
  const proof = useProof(state);
  const submit = useSubmit(async () => {
    await call('POST', 'single-sign-on/remove', await proof.read());
    onClose();
    showToast(t.removed);
    await onDone();
  });
  return (
    <FormDialog
      title={t.removeTitle}
      onClose={onClose}
      submit={submit}
      action={words.frame.remove}
      fault={submit.fault ?? submit.findFault('passkey')}
      about={t.removeBody}
    >
      {isByEmail && <p class="text-soft">{t.reconnects}</p>}
      <ProofField of={proof} fault={submit.findFault('current_password')} />
    </FormDialog>
  );
}
