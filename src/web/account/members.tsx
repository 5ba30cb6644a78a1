import { useId, useState } from 'preact/hooks';
import type { Invited, MemberView } from '../../doors/dashboard/wire.ts';
import { ActionButton } from '../action-button.tsx';
import { call, isOwner, me, send } from '../api.ts';
import { home, serverUrl } from '../base.ts';
import { attempt, useData, useSubmit } from '../data.ts';
import { ask } from '../dialog.tsx';
import { fullTime } from '../format.ts';
import { FormDialog, TextField } from '../forms.tsx';
import { PageBody } from '../parts.tsx';
import { AddButton, Loaded, Row, Rows } from '../rows.tsx';
import { SecretDialog } from '../secret.tsx';
import { useTyped } from '../typed.ts';
import { words } from '../words/words.ts';

export default function Members() {
  const t = words.account.members;
  const members = useData<MemberView[]>('members');
  const [isInviting, setInviting] = useState(false);
  const [invited, setInvited] = useState<Invited | null>(null);
  const actions = actionsOn(members.reload, setInvited);
  return (
    <PageBody
      title={words.frame.places.members}
      about={t.about}
      actions={isOwner.value && <AddButton onClick={() => setInviting(true)}>{t.invite}</AddButton>}
    >
      <Loaded of={members}>
        {(list) => (
          <Rows label={words.frame.places.members}>
            {list.map((member) => {
              const isLast =
                member.role === 'owner' && list.filter(({ role }) => role === 'owner').length === 1;
              return (
                <MemberRow
                  key={member.user_id}
                  of={member}
                  actions={isOwner.value && !isLast ? actions : null}
                />
              );
            })}
          </Rows>
        )}
      </Loaded>
      {isInviting && (
        <InviteDialog
          onClose={() => setInviting(false)}
          onInvited={(member) => {
            setInviting(false);
            setInvited(member);
            void members.reload();
          }}
        />
      )}
      {invited && (
        <SecretDialog
          title={t.signInLink}
          secret={serverUrl + invited.invite_path}
          what={t.link}
          onClose={() => setInvited(null)}
        >
          {t.signInLinkBody(invited.email, me.value!.bounds.invite_days)}
        </SecretDialog>
      )}
    </PageBody>
  );
}

type Actions = Record<
  'link' | 'changeRole' | 'resetFactor' | 'remove',
  (member: MemberView) => Promise<void>
>;

function actionsOn(reload: () => Promise<void>, setInvited: (invited: Invited) => void): Actions {
  const t = words.account.members;
  const after = async (run: () => Promise<unknown>) => {
    if (await attempt(run)) await reload();
  };
  return {
    async link(member: MemberView) {
      await after(async () => {
        setInvited(await send<Invited>('POST', `members/${member.user_id}/link`));
      });
    },
    async changeRole({ user_id, role, email, is_you }: MemberView) {
      const next = role === 'owner' ? 'member' : 'owner';
      const question =
        next === 'owner'
          ? { title: t.makeOwnerTitle, body: t.makeOwnerBody(email), action: t.makeOwner }
          : { title: t.makeMemberTitle, body: t.makeMemberBody(email), action: t.makeMember };
      if (!(await ask(question))) return;
      await after(() => call('PATCH', `members/${user_id}`, { role: next }));
      if (is_you) location.reload();
    },
    async resetFactor({ user_id, email }: MemberView) {
      const question = { title: t.resetFactorTitle, body: t.resetFactorBody(email), action: t.resetFactor };
      if (await ask(question)) await after(() => call('DELETE', `members/${user_id}/second-factor`));
    },
    async remove({ user_id, email, is_you }: MemberView) {
      const question = {
        title: is_you ? t.leaveTitle : t.removeTitle,
        body: t.removeBody(email),
        action: is_you ? t.leave : words.frame.remove,
        isDanger: true,
      };
      if (!(await ask(question))) return;
      await after(() => call('DELETE', `members/${user_id}`));
      if (is_you) location.assign(home);
    },
  };
}

function MemberRow({ of: member, actions }: { of: MemberView; actions: Actions | null }) {
  const { email, role, is_you, has_way_in, has_second_factor, passkeys, invited_until } = member;
  const id = useId();
  const t = words.account.members;
  const state = has_way_in ? null : invited_until ? t.invited(fullTime(invited_until)) : t.expired;
  return (
    <Row
      actions={
        actions && (
          <>
            {!is_you && (
              <ActionButton
                class="button button-quiet"
                aria-describedby={id}
                onRun={() => actions.link(member)}
              >
                {t.signInLink}
              </ActionButton>
            )}
            {(has_second_factor || passkeys > 0) && !is_you && (
              <ActionButton
                class="button button-quiet"
                aria-describedby={id}
                onRun={() => actions.resetFactor(member)}
              >
                {t.resetFactor}
              </ActionButton>
            )}
            <ActionButton
              class="button button-quiet"
              aria-describedby={id}
              onRun={() => actions.changeRole(member)}
            >
              {role === 'owner' ? t.makeMember : t.makeOwner}
            </ActionButton>
            <ActionButton aria-describedby={id} onRun={() => actions.remove(member)}>
              {is_you ? t.leave : words.frame.remove}
            </ActionButton>
          </>
        )
      }
    >
      <p class="flex flex-wrap items-center gap-2">
        <span id={id} class="min-w-0 font-medium wrap-anywhere">
          {email}
        </span>
        <span class={`tag ${role === 'owner' ? 'tag-accent' : ''}`}>{words.account.roles[role]}</span>
        {has_second_factor && <span class="tag">{t.hasSecondFactor}</span>}
        {is_you && <span class="tag">{t.you}</span>}
      </p>
      {state && <p class="mt-0.5 text-sm text-soft">{state}</p>}
    </Row>
  );
}

function InviteDialog({
  onClose,
  onInvited,
}: {
  onClose: () => void;
  onInvited: (invited: Invited) => void;
}) {
  const t = words.account.members;
  const [email, setEmail] = useTyped('members', '');
  const submit = useSubmit(async () => {
    onInvited(await send<Invited>('POST', 'members', { email }));
  });
  return (
    <FormDialog title={t.inviteTitle} onClose={onClose} submit={submit} action={t.createLink}>
      <TextField
        label={t.email}
        fault={submit.findFault('email')}
        hint={t.inviteHint}
        type="email"
        required
        autofocus
        value={email}
        onInput={setEmail}
      />
    </FormDialog>
  );
}
