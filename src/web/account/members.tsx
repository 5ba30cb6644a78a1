import { useState } from 'preact/hooks';
import type { Invited, MemberView } from '../../doors/dashboard/wire.ts';
import { call, me } from '../api.ts';
import { attempt, useData, useSubmit } from '../data.ts';
import { ask, Dialog } from '../dialog.tsx';
import { fullTime } from '../format.ts';
import { Icon } from '../icons.tsx';
import { Field, PageBody } from '../parts.tsx';
import { Fault, Loaded, Row, Rows } from '../rows.tsx';
import { SecretDialog } from '../secret.tsx';

export default function Members() {
  const members = useData<MemberView[]>('members');
  const [isInviting, setInviting] = useState(false);
  const [invited, setInvited] = useState<Invited | null>(null);
  const isOwner = me.value?.role === 'owner';
  const actions = actionsOn(members.reload, setInvited);
  return (
    <PageBody
      title="Members"
      about="Owners manage the account. Members read and use its mail, and create API keys for that."
      actions={
        isOwner && (
          <button type="button" class="button button-main" onClick={() => setInviting(true)}>
            <Icon name="plus" />
            Invite
          </button>
        )
      }
    >
      <Loaded of={members}>
        {(list) => (
          <Rows label="Members">
            {list.map((member) => {
              const isLast =
                member.role === 'owner' && list.filter(({ role }) => role === 'owner').length === 1;
              return (
                <MemberRow key={member.user_id} of={member} actions={isOwner && !isLast ? actions : null} />
              );
            })}
          </Rows>
        )}
      </Loaded>
      {isInviting && (
        <InviteDialog
          onClose={() => setInviting(false)}
          onInvited={(made) => {
            setInviting(false);
            setInvited(made);
            void members.reload();
          }}
        />
      )}
      {invited && (
        <SecretDialog
          title="Invitation link"
          secret={location.origin + invited.invite_path}
          what="Link"
          onClose={() => setInvited(null)}
        >
          Send this link to {invited.email}. They choose a password to join. The link works once, expires in{' '}
          {me.value?.bounds.invite_days} days and is not shown again.
        </SecretDialog>
      )}
    </PageBody>
  );
}

type Actions = Record<'link' | 'changeRole' | 'remove', (member: MemberView) => Promise<void>>;

function actionsOn(reload: () => Promise<void>, setInvited: (made: Invited) => void): Actions {
  const after = async (run: () => Promise<unknown>) => {
    if (await attempt(run)) await reload();
  };
  return {
    async link(member: MemberView) {
      await after(async () => {
        setInvited((await call<{ data: Invited }>('POST', `members/${member.user_id}/link`)).data);
      });
    },
    async changeRole({ user_id, role, email, is_you }: MemberView) {
      const next = role === 'owner' ? 'member' : 'owner';
      const body =
        next === 'owner'
          ? `${email} will be able to manage API keys, members, webhooks and domains.`
          : `${email} and their API keys will only be able to read and use mail.`;
      const title = next === 'owner' ? 'Make this member an owner?' : 'Make this owner a member?';
      if (!(await ask({ title, body, action: next === 'owner' ? 'Make owner' : 'Make member' }))) return;
      await after(() => call('PATCH', `members/${user_id}`, { role: next }));
      if (is_you) location.reload();
    },
    async remove({ user_id, email, is_you }: MemberView) {
      const body = `${email} will be signed out, and their API keys will stop working.`;
      const question = {
        title: is_you ? 'Leave this account?' : 'Remove this member?',
        body,
        isDanger: true,
      };
      if (!(await ask({ ...question, action: is_you ? 'Leave' : 'Remove' }))) return;
      await after(() => call('DELETE', `members/${user_id}`));
      if (is_you) location.assign('/dashboard');
    },
  };
}

function MemberRow({ of: member, actions }: { of: MemberView; actions: Actions | null }) {
  const { email, role, is_you, has_password, invited_until } = member;
  const state = has_password
    ? null
    : invited_until
      ? `Invited. The link expires ${fullTime(invited_until)}.`
      : 'Can’t sign in: the invitation has expired.';
  return (
    <Row
      actions={
        actions && (
          <>
            {!is_you && (
              <button type="button" class="button button-quiet" onClick={() => void actions.link(member)}>
                New link
              </button>
            )}
            <button type="button" class="button button-quiet" onClick={() => void actions.changeRole(member)}>
              {role === 'owner' ? 'Make member' : 'Make owner'}
            </button>
            <button type="button" class="button" onClick={() => void actions.remove(member)}>
              {is_you ? 'Leave' : 'Remove'}
            </button>
          </>
        )
      }
    >
      <p class="flex flex-wrap items-center gap-2">
        <span class="min-w-0 truncate font-medium">{email}</span>
        <span class={`tag ${role === 'owner' ? 'tag-accent' : ''}`}>{role}</span>
        {is_you && <span class="tag">you</span>}
      </p>
      {state && <p class="mt-0.5 text-sm text-soft">{state}</p>}
    </Row>
  );
}

function InviteDialog({ onClose, onInvited }: { onClose: () => void; onInvited: (made: Invited) => void }) {
  const [email, setEmail] = useState('');
  const { isBusy, fault, faultOf, onSubmit } = useSubmit(async () => {
    onInvited((await call<{ data: Invited }>('POST', 'members', { email })).data);
  });
  return (
    <Dialog title="Invite member" onClose={onClose}>
      <form class="space-y-4" onSubmit={onSubmit}>
        <Fault>{fault}</Fault>
        <Field
          label="Email"
          fault={faultOf('email')}
          hint="You get a link to send them. Postern sends no email."
        >
          <input
            class="field"
            type="email"
            required
            autofocus
            value={email}
            onInput={(event) => setEmail(event.currentTarget.value)}
          />
        </Field>
        <div class="flex justify-end gap-2">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button button-main" disabled={isBusy}>
            Create link
          </button>
        </div>
      </form>
    </Dialog>
  );
}
