import { useState } from 'preact/hooks';
import type { PasskeyState, PasskeyView } from '../../features/accounts/passkeys/wire.ts';
import { call } from '../api.ts';
import { type Loading, useSubmit } from '../data.ts';
import { agoTime, shortTime } from '../format.ts';
import { FormDialog, TextField } from '../forms.tsx';
import { canUsePasskeys, createPasskey } from '../passkey.ts';
import { PlaceNote } from '../passkey-place.tsx';
import { Loaded, Part, Row, Rows } from '../rows.tsx';
import { showToast } from '../toast.tsx';
import { words } from '../words/words.ts';
import { browserName } from './browser-name.ts';
import { ProofField, useProof } from './proof.tsx';

type OpenDialog = { what: 'add' } | { what: 'rename' | 'remove'; passkey: PasskeyView };

/** The person's passkeys. */
export function Passkeys({ of: state }: { of: Loading<PasskeyState> }) {
  const t = words.passkeys;
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const close = () => setDialog(null);
  const finish = async (text: string) => {
    setDialog(null);
    showToast(text);
    await state.reload();
  };
  const isHere = state.data !== undefined && canUsePasskeys(state.data.place);
  return (
    <Part
      title={t.title}
      about={t.about}
      actions={
        isHere && (
          <button type="button" class="button" onClick={() => setDialog({ what: 'add' })}>
            {t.add}
          </button>
        )
      }
    >
      <Loaded of={state} rows={1}>
        {({ place, passkeys }) => (
          <Rows label={t.title}>
            {!isHere && (
              <Row>
                <p class="text-sm text-soft">
                  <PlaceNote of={place} />
                </p>
              </Row>
            )}
            {isHere && passkeys.length === 0 && (
              <Row>
                <p class="text-sm text-soft">{t.none}</p>
              </Row>
            )}
            {passkeys.map((passkey) => (
              <PasskeyRow key={passkey.id} of={passkey} onOpen={(what) => setDialog({ what, passkey })} />
            ))}
          </Rows>
        )}
      </Loaded>
      {state.data && dialog?.what === 'add' && (
        <AddDialog state={state.data} onClose={close} onDone={finish} />
      )}
      {dialog?.what === 'rename' && <RenameDialog of={dialog.passkey} onClose={close} onDone={finish} />}
      {state.data && dialog?.what === 'remove' && (
        <RemoveDialog state={state.data} of={dialog.passkey} onClose={close} onDone={finish} />
      )}
    </Part>
  );
}

function PasskeyRow({
  of: { name, is_synced, other_host, created_at, used_at },
  onOpen,
}: {
  of: PasskeyView;
  onOpen: (what: 'rename' | 'remove') => void;
}) {
  const t = words.passkeys;
  return (
    <Row
      actions={
        <>
          <button type="button" class="button button-quiet" onClick={() => onOpen('rename')}>
            {t.rename}
          </button>
          <button type="button" class="button" onClick={() => onOpen('remove')}>
            {words.frame.remove}
          </button>
        </>
      }
    >
      <p class="flex flex-wrap items-center gap-2">
        <span class="min-w-0 font-medium wrap-anywhere">{name}</span>
        {is_synced && <span class="tag">{t.synced}</span>}
      </p>
      <p class="text-sm text-soft">
        {t.added(shortTime(created_at))} {used_at ? t.used(agoTime(used_at)) : t.unused}
      </p>
      {other_host !== null && <p class="text-sm text-danger">{t.otherHost(other_host)}</p>}
    </Row>
  );
}

interface DialogProps {
  onClose: () => void;
  onDone: (text: string) => Promise<void>;
}

interface ChangeProps extends DialogProps {
  state: PasskeyState;
}

function AddDialog({ state, onClose, onDone }: ChangeProps) {
  const t = words.passkeys;
  const [name, setName] = useState(browserName(navigator.userAgent));
  const proof = useProof(state);
  const submit = useSubmit(async () => {
    const made = await createPasskey('passkeys/new', await proof.read());
    await call('POST', 'passkeys', { ...made, name });
    await onDone(t.addedToast);
  });
  return (
    <FormDialog
      title={t.addTitle}
      onClose={onClose}
      submit={submit}
      action={t.add}
      fault={submit.fault ?? submit.findFault('passkey')}
      about={t.addBody}
    >
      <NameField value={name} fault={submit.findFault('name')} onInput={setName} />
      <ProofField of={proof} fault={submit.findFault('current_password')} />
    </FormDialog>
  );
}

function RenameDialog({ of: passkey, onClose, onDone }: DialogProps & { of: PasskeyView }) {
  const t = words.passkeys;
  const [name, setName] = useState(passkey.name);
  const submit = useSubmit(async () => {
    await call('PATCH', `passkeys/${passkey.id}`, { name });
    await onDone(t.renamed);
  });
  return (
    <FormDialog title={t.renameTitle} onClose={onClose} submit={submit} action={t.rename}>
      <NameField value={name} fault={submit.findFault('name')} onInput={setName} />
    </FormDialog>
  );
}

function RemoveDialog({ state, of: passkey, onClose, onDone }: ChangeProps & { of: PasskeyView }) {
  const t = words.passkeys;
  const proof = useProof(state);
  const submit = useSubmit(async () => {
    await call('POST', `passkeys/${passkey.id}/remove`, await proof.read());
    await onDone(t.removed);
  });
  return (
    <FormDialog
      title={t.removeTitle(passkey.name)}
      onClose={onClose}
      submit={submit}
      action={words.frame.remove}
      fault={submit.fault ?? submit.findFault('passkey')}
      about={t.removeBody}
    >
      <ProofField of={proof} fault={submit.findFault('current_password')} />
    </FormDialog>
  );
}

interface NameProps {
  value: string;
  fault: string | undefined;
  onInput: (name: string) => void;
}

function NameField({ value, fault, onInput }: NameProps) {
  return (
    <TextField
      label={words.passkeys.name}
      hint={words.passkeys.nameHint}
      fault={fault}
      required
      autofocus
      maxlength={60}
      autocomplete="off"
      value={value}
      onInput={onInput}
    />
  );
}
