import { useId, useState } from 'preact/hooks';
import type { CreatedKey, ListedKey } from '../../doors/dashboard/wire.ts';
import { call, me, send } from '../api.ts';
import { attempt, useData, useSubmit } from '../data.ts';
import { ask } from '../dialog.tsx';
import { shortTime } from '../format.ts';
import { FormDialog, TextField } from '../forms.tsx';
import { PageBody } from '../parts.tsx';
import { AddButton, EmptyCard, Loaded, Row, Rows } from '../rows.tsx';
import { SecretDialog } from '../secret.tsx';
import { useTyped } from '../typed.ts';
import { fill } from '../words/fill.ts';
import { words } from '../words/words.ts';

export default function Keys() {
  const t = words.account.keys;
  const keys = useData<ListedKey[]>('keys');
  const [isCreating, setCreating] = useState(false);
  const [created, setCreated] = useState<string | null>(null);
  const revoke = async (key: ListedKey) => {
    const sure = await ask({
      title: t.revokeTitle,
      body: t.revokeBody(key.name || key.key_prefix),
      action: t.revoke,
      isDanger: true,
    });
    if (sure && (await attempt(() => call('DELETE', `keys/${key.key_id}`)))) await keys.reload();
  };
  return (
    <PageBody
      title={words.frame.places.keys}
      about={t.about}
      actions={<AddButton onClick={() => setCreating(true)}>{t.new}</AddButton>}
    >
      <Loaded of={keys}>
        {(list) =>
          list.length === 0 ? (
            <EmptyCard icon="key" title={t.empty}>
              {fill(t.emptyBody, { header: <code class="font-mono">Authorization: Bearer …</code> })}
            </EmptyCard>
          ) : (
            <Rows label={words.frame.places.keys}>
              {list.map((key) => (
                <KeyRow key={key.key_id} of={key} onRevoke={() => void revoke(key)} />
              ))}
            </Rows>
          )
        }
      </Loaded>
      {isCreating && (
        <NewKey
          onClose={() => setCreating(false)}
          onCreated={(secret) => {
            setCreating(false);
            setCreated(secret);
            void keys.reload();
          }}
        />
      )}
      {created !== null && (
        <SecretDialog title={t.created} secret={created} what={t.apiKey} onClose={() => setCreated(null)}>
          {t.copyNow}
        </SecretDialog>
      )}
    </PageBody>
  );
}

function KeyRow({ of: key, onRevoke }: { of: ListedKey; onRevoke: () => void }) {
  const id = useId();
  const isRevoked = key.revoked_at !== null;
  const t = words.account.keys;
  const isByOther = key.minted_by !== null && key.minted_by !== me.value?.user?.email;
  return (
    <Row
      actions={
        isRevoked ? (
          <span class="tag">{t.revoked(shortTime(key.revoked_at!))}</span>
        ) : (
          <button type="button" class="button" aria-describedby={id} onClick={onRevoke}>
            {t.revoke}
          </button>
        )
      }
    >
      <p class={`flex flex-wrap items-center gap-2 font-medium ${isRevoked ? 'text-soft line-through' : ''}`}>
        <span id={id} class="min-w-0 wrap-anywhere">
          {key.name || t.unnamed}
        </span>
        {key.role === 'member' && <span class="tag">{words.account.roles.member}</span>}
      </p>
      <p class="mt-0.5 text-sm text-soft">
        {fill(isByOther ? t.createdBy : t.createdAt, {
          key: <code class="font-mono">{key.key_prefix}…</code>,
          time: shortTime(key.created_at),
          person: key.minted_by,
        })}
      </p>
    </Row>
  );
}

function NewKey({ onClose, onCreated }: { onClose: () => void; onCreated: (secret: string) => void }) {
  const t = words.account.keys;
  const [name, setName] = useTyped('keys', '');
  const submit = useSubmit(async () => {
    const data = await send<CreatedKey>('POST', 'keys', { name });
    onCreated(data.api_key);
  });
  return (
    <FormDialog title={t.newTitle} onClose={onClose} submit={submit} action={t.create}>
      <TextField
        label={t.name}
        fault={submit.findFault('name')}
        hint={t.nameHint}
        autofocus
        maxlength={200}
        placeholder="CI"
        value={name}
        onInput={setName}
      />
    </FormDialog>
  );
}
