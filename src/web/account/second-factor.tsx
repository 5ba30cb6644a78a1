import { useState } from 'preact/hooks';
import type {
  NewSecondFactor,
  RecoveryCodes,
  SecondFactorState,
} from '../../features/accounts/second-factor/wire.ts';
import { ActionButton } from '../action-button.tsx';
import { call, send } from '../api.ts';
import { attempt, useData, useSubmit } from '../data.ts';
import { Dialog } from '../dialog.tsx';
import { PasswordField } from '../door/password-field.tsx';
import { fullTime } from '../format.ts';
import { FormDialog, TextField } from '../forms.tsx';
import { lazily } from '../lazy.tsx';
import { CopyButton } from '../parts.tsx';
import { Loaded, Part, Row, Rows } from '../rows.tsx';
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
    attempt(async () => setNewFactor(await send<NewSecondFactor>('POST', 'second-factor/new')));
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
                  <ActionButton onRun={begin}>{t.add}</ActionButton>
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
  const submit = useSubmit(async () => {
    const body = { secret, code, current_password: password };
    const data = await send<RecoveryCodes>('POST', 'second-factor', body);
    await onDone(data.recovery_codes);
  });
  return (
    <FormDialog title={t.addTitle} onClose={onClose} submit={submit} action={t.add} about={t.scan}>
      <div class="flex justify-center">
        <QrCode text={uri} label={t.qrCode} />
      </div>
      <p class="flex items-center gap-2 text-sm">
        <code class="min-w-0 font-mono wrap-anywhere">{secret.match(/.{4}/g)!.join(' ')}</code>
        <CopyButton text={secret} what={t.secret} />
      </p>
      <TextField
        label={t.code}
        fault={submit.findFault('code')}
        inputMode="numeric"
        autocomplete="one-time-code"
        required
        value={code}
        onInput={setCode}
      />
      <PasswordField
        label={words.frame.password.current}
        value={password}
        fault={submit.findFault('current_password')}
        onInput={setPassword}
      />
    </FormDialog>
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
  const submit = useSubmit(async () => {
    const body = { current_password: password };
    if (dialog === 'renew') {
      const data = await send<RecoveryCodes>('POST', 'second-factor/recovery-codes', body);
      await onDone(data.recovery_codes);
    } else {
      await call('POST', 'second-factor/remove', body);
      showToast(t.removed);
      await onDone(null);
    }
  });
  return (
    <FormDialog
      title={dialog === 'renew' ? t.newCodes : t.removeTitle}
      onClose={onClose}
      submit={submit}
      action={dialog === 'renew' ? t.newCodes : words.frame.remove}
      about={dialog === 'renew' ? t.newCodesBody : t.removeBody}
    >
      <PasswordField
        label={words.frame.password.current}
        value={password}
        fault={submit.findFault('current_password')}
        onInput={setPassword}
      />
    </FormDialog>
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
