import { useState } from 'preact/hooks';
import type { CreatedKey, ListedKey } from '../../doors/dashboard/wire.ts';
import { call, me } from '../api.ts';
import { attempt, useData, useSubmit } from '../data.ts';
import { ask, Dialog } from '../dialog.tsx';
import { shortTime } from '../format.ts';
import { Icon } from '../icons.tsx';
import { Empty, Field, PageBody } from '../parts.tsx';
import { Fault, Loaded, Row, Rows } from '../rows.tsx';
import { SecretDialog } from '../secret.tsx';

export default function Keys() {
  const keys = useData<ListedKey[]>('keys');
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<string | null>(null);
  const revoke = async (key: ListedKey) => {
    const sure = await ask({
      title: 'Revoke this key?',
      body: `Anything that uses ${key.name || key.key_prefix} stops working immediately. This can’t be undone.`,
      action: 'Revoke',
      isDanger: true,
    });
    if (sure && (await attempt(() => call('DELETE', `keys/${key.key_id}`)))) await keys.reload();
  };
  return (
    <PageBody
      title="API keys"
      about="Keys give programs full access to this account through the API."
      actions={
        <button type="button" class="button button-main" onClick={() => setMaking(true)}>
          <Icon name="plus" />
          New key
        </button>
      }
    >
      <Loaded of={keys}>
        {(list) =>
          list.length === 0 ? (
            <div class="card">
              <Empty icon="key" title="No API keys yet">
                Create a key, and send it as <code class="font-mono">Authorization: Bearer …</code> with each
                request.
              </Empty>
            </div>
          ) : (
            <Rows label="API keys">
              {list.map((key) => (
                <KeyRow key={key.key_id} of={key} onRevoke={() => void revoke(key)} />
              ))}
            </Rows>
          )
        }
      </Loaded>
      {isMaking && (
        <NewKey
          onClose={() => setMaking(false)}
          onMade={(secret) => {
            setMaking(false);
            setMade(secret);
            void keys.reload();
          }}
        />
      )}
      {made !== null && (
        <SecretDialog title="API key created" secret={made} what="API key" onClose={() => setMade(null)}>
          Copy this key now. You won’t see it again.
        </SecretDialog>
      )}
    </PageBody>
  );
}

function KeyRow({ of: key, onRevoke }: { of: ListedKey; onRevoke: () => void }) {
  const isRevoked = key.revoked_at !== null;
  const by = key.minted_by === null || key.minted_by === me.value?.user?.email ? '' : ` by ${key.minted_by}`;
  return (
    <Row
      actions={
        isRevoked ? (
          <span class="tag">revoked {shortTime(key.revoked_at!)}</span>
        ) : (
          <button type="button" class="button" onClick={onRevoke}>
            Revoke
          </button>
        )
      }
    >
      <p class={`flex flex-wrap items-center gap-2 font-medium ${isRevoked ? 'text-soft line-through' : ''}`}>
        {key.name || 'Unnamed key'}
        {key.role === 'member' && <span class="tag">member</span>}
      </p>
      <p class="mt-0.5 text-sm text-soft">
        <code class="font-mono">{key.key_prefix}…</code> created {shortTime(key.created_at)}
        {by}
      </p>
    </Row>
  );
}

function NewKey({ onClose, onMade }: { onClose: () => void; onMade: (secret: string) => void }) {
  const [name, setName] = useState('');
  const { isBusy, fault, faultOf, onSubmit } = useSubmit(async () => {
    const { data } = await call<{ data: CreatedKey }>('POST', 'keys', { name });
    onMade(data.api_key);
  });
  return (
    <Dialog title="New API key" onClose={onClose}>
      <form class="space-y-4" onSubmit={onSubmit}>
        <Fault>{fault}</Fault>
        <Field label="Name" fault={faultOf('name')} hint="What the key is for.">
          <input
            class="field"
            autofocus
            maxlength={200}
            placeholder="CI"
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </Field>
        <div class="flex justify-end gap-2">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button button-main" disabled={isBusy}>
            Create key
          </button>
        </div>
      </form>
    </Dialog>
  );
}
