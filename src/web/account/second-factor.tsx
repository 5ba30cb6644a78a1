import { useState } from 'preact/hooks';
import type {
  NewSecondFactor,
  RecoveryCodes,
  SecondFactorState,
} from '../../features/accounts/second-factor/wire.ts';
import { call } from '../api.ts';
import { attempt, useData, useSubmit } from '../data.ts';
import { Dialog } from '../dialog.tsx';
import { DialogButtons } from '../dialog-buttons.tsx';
import { PasswordField } from '../door/password-field.tsx';
import { fullTime } from '../format.ts';
import { lazily } from '../lazy.tsx';
import { CopyButton, Field } from '../parts.tsx';
import { Fault, Loaded, Part, Row, Rows } from '../rows.tsx';
import { showToast } from '../toast.tsx';
import { words } from '../words/words.ts';

const QrCode = lazily(async () => (await import('./qr-code.tsx')).QrCode);

type OpenDialog = 'renew' | 'remove';

/** The person's authenticator app and recovery codes. */
export function SecondFactor() {
  const t = words.account.secondFactor;
  const state = useData<SecondFactorState>('second-factor');
  const [newFactor, setNewFactor] = useState<NewSecondFactor | null>(null);
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const [codes, setCodes] = useState<string[] | null>(null);
  const begin = () =>
    attempt(async () =>
      setNewFactor((await call<{ data: NewSecondFactor }>('POST', 'second-factor/new')).data),
    );
  const finish = async (shown: string[] | null) => {
    setNewFactor(null);
    setDialog(null);
    setCodes(shown);
    await state.reload();
  };
  return (
    <Part title={t.title} about={t.about}>
      <Loaded of={state} rows={1}>
        {({ added_at, recovery_codes }) => (
          <Rows label={t.title}>
            <Row
              actions={
                added_at === null ? (
                  <button type="button" class="button" onClick={() => void begin()}>
                    {t.add}
                  </button>
                ) : (
                  <>
                    <button type="button" class="button button-quiet" onClick={() => setDialog('renew')}>
                      {t.newCodes}
                    </button>
                    <button type="button" class="button" onClick={() => setDialog('remove')}>
                      {words.frame.remove}
                    </button>
                  </>
                )
              }
            >
              <p class="font-medium">{t.app}</p>
              <p class="text-sm text-soft">
                {added_at === null ? t.none : t.addedAt(fullTime(added_at), recovery_codes)}
              </p>
            </Row>
          </Rows>
        )}
      </Loaded>
      {newFactor && <AddDialog newFactor={newFactor} onClose={() => setNewFactor(null)} onDone={finish} />}
      {dialog && <PasswordDialog dialog={dialog} onClose={() => setDialog(null)} onDone={finish} />}
      {codes && <CodesDialog codes={codes} onClose={() => setCodes(null)} />}
    </Part>
  );
}

interface AddProps {
  newFactor: NewSecondFactor;
  onClose: () => void;
  onDone: (codes: string[]) => Promise<void>;
}

function AddDialog({ newFactor: { secret, uri }, onClose, onDone }: AddProps) {
  const t = words.account.secondFactor;
  const [code, setCode] = useState('');
  const [password, setPassword] = useState('');
  const { isBusy, fault, findFault, onSubmit } = useSubmit(async () => {
    const body = { secret, code, current_password: password };
    const { data } = await call<{ data: RecoveryCodes }>('POST', 'second-factor', body);
    await onDone(data.recovery_codes);
  });
  return (
    <Dialog title={t.addTitle} onClose={onClose}>
      <form class="space-y-4" onSubmit={onSubmit}>
        <p class="text-soft">{t.scan}</p>
        <div class="flex justify-center">
          <QrCode text={uri} label={t.qrCode} />
        </div>
        <p class="flex items-center gap-2 text-sm">
          <code class="min-w-0 font-mono wrap-anywhere">{secret.match(/.{4}/g)!.join(' ')}</code>
          <CopyButton text={secret} what={t.secret} />
        </p>
        <Fault>{fault}</Fault>
        <Field label={t.code} fault={findFault('code')}>
          <input
            class="field"
            inputMode="numeric"
            autocomplete="one-time-code"
            required
            value={code}
            onInput={({ currentTarget }) => setCode(currentTarget.value)}
          />
        </Field>
        <PasswordField
          label={words.frame.password.current}
          value={password}
          fault={findFault('current_password')}
          onInput={setPassword}
        />
        <DialogButtons action={t.add} isDisabled={isBusy} onClose={onClose} />
      </form>
    </Dialog>
  );
}

interface PasswordProps {
  dialog: OpenDialog;
  onClose: () => void;
  onDone: (codes: string[] | null) => Promise<void>;
}

/** Renews the recovery codes or removes the second factor, both with the password. */
function PasswordDialog({ dialog, onClose, onDone }: PasswordProps) {
  const t = words.account.secondFactor;
  const [password, setPassword] = useState('');
  const { isBusy, fault, findFault, onSubmit } = useSubmit(async () => {
    const body = { current_password: password };
    if (dialog === 'renew') {
      const { data } = await call<{ data: RecoveryCodes }>('POST', 'second-factor/recovery-codes', body);
      await onDone(data.recovery_codes);
    } else {
      await call('POST', 'second-factor/remove', body);
      showToast(t.removed);
      await onDone(null);
    }
  });
  return (
    <Dialog title={dialog === 'renew' ? t.newCodes : t.removeTitle} onClose={onClose}>
      <form class="space-y-4" onSubmit={onSubmit}>
        <p class="text-soft">{dialog === 'renew' ? t.newCodesBody : t.removeBody}</p>
        <Fault>{fault}</Fault>
        <PasswordField
          label={words.frame.password.current}
          value={password}
          fault={findFault('current_password')}
          onInput={setPassword}
        />
        <DialogButtons
          action={dialog === 'renew' ? t.newCodes : words.frame.remove}
          isDisabled={isBusy}
          onClose={onClose}
        />
      </form>
    </Dialog>
  );
}

function CodesDialog({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const t = words.account.secondFactor;
  return (
    <Dialog title={t.codesTitle} onClose={onClose}>
      <p class="text-soft">{t.codesBody}</p>
      <ul class="mt-4 grid grid-cols-1 gap-x-6 gap-y-1 font-mono text-sm sm:grid-cols-2">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div class="mt-5 flex flex-wrap justify-end gap-2">
        <CopyButton text={codes.join('\n')} what={t.codesTitle} label={t.copyCodes} />
        <button type="button" class="button button-main" onClick={onClose}>
          {t.kept}
        </button>
      </div>
    </Dialog>
  );
}
