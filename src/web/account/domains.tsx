import { useState } from 'preact/hooks';
import type { DomainView } from '../../features/domains/wire.ts';
import { isOwner, me, send } from '../api.ts';
import { useSubmit } from '../data.ts';
import { FormDialog, TextField } from '../forms.tsx';
import { LoadedRows, LoadMore, usePages } from '../pages.tsx';
import { PageBody } from '../parts.tsx';
import { plansThatHave } from '../plans.ts';
import { go, Link, type PlaceProps, pathTo } from '../router.tsx';
import { AddButton, EmptyCard, Row, Rows } from '../rows.tsx';
import { useTyped } from '../typed.ts';
import { words } from '../words/words.ts';
import { DomainPage } from './domain.tsx';
import { DomainState } from './domain-state.tsx';

export default function Domains({ rest: [id] }: PlaceProps) {
  return id ? <DomainPage key={id} id={id} /> : <DomainList />;
}

function DomainList() {
  const t = words.account.domains;
  const domains = usePages<DomainView>('domains');
  const [isAdding, setAdding] = useState(false);
  const cap = me.value?.plan.custom_domains ?? 0;
  const mayAdd = isOwner.value && cap > 0;
  return (
    <PageBody
      title={words.frame.places.domains}
      about={t.about}
      actions={mayAdd && <AddButton onClick={() => setAdding(true)}>{t.add}</AddButton>}
    >
      <LoadedRows of={domains}>
        {(list) =>
          list.length === 0 ? (
            <EmptyCard icon="globe" title={cap > 0 ? t.none : t.noneInPlan}>
              {cap > 0 ? t.noneBody : plansThatHave('custom_domains')}
            </EmptyCard>
          ) : (
            <Rows label={words.frame.places.domains}>
              {list.map((domain) => (
                <Row key={domain.id} actions={<DomainState of={domain.status} />}>
                  <Link to={pathTo('domains', domain.id)} class="font-medium break-all hover:underline">
                    {domain.name}
                  </Link>
                  {domain.catch_all && <span class="tag ml-2">{t.catchAll}</span>}
                  {domain.last_error && domain.status !== 'verified' && (
                    <p class="mt-0.5 text-sm break-words text-soft">{domain.last_error}</p>
                  )}
                </Row>
              ))}
            </Rows>
          )
        }
      </LoadedRows>
      <LoadMore of={domains} />
      {isAdding && <AddDomain onClose={() => setAdding(false)} />}
    </PageBody>
  );
}

function AddDomain({ onClose }: { onClose: () => void }) {
  const t = words.account.domains;
  const [name, setName] = useTyped('domains', '');
  const submit = useSubmit(async () => {
    const data = await send<DomainView>('POST', 'domains', { name });
    go(pathTo('domains', data.id));
  });
  return (
    <FormDialog title={t.add} onClose={onClose} submit={submit} action={t.add}>
      <TextField
        label={t.one}
        fault={submit.findFault('name')}
        hint={t.addHint}
        required
        autofocus
        maxlength={253}
        placeholder="mail.example.com"
        autocapitalize="none"
        spellcheck={false}
        value={name}
        onInput={setName}
      />
    </FormDialog>
  );
}
