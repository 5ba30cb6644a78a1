import { useState } from 'preact/hooks';
import type { MembershipView, SessionView } from '../../doors/dashboard/wire.ts';
import type { PasskeyState } from '../../features/accounts/passkeys/wire.ts';
import { ActionButton } from '../action-button.tsx';
import { call, me } from '../api.ts';
import { attempt, useData, useSubmit } from '../data.ts';
import { ask } from '../dialog.tsx';
import { PasswordField } from '../door/password-field.tsx';
import { agoTime, shortTime } from '../format.ts';
import { leaveAllTabs } from '../own-drafts.ts';
import { PageBody } from '../parts.tsx';
import { ProviderReturn } from '../provider-return.tsx';
import type { PlaceProps } from '../router.tsx';
import { Fault, Loaded, Part, Row, Rows } from '../rows.tsx';
import { settleUndo, showToast } from '../toast.tsx';
import { words } from '../words/words.ts';
import { browserName } from './browser-name.ts';
import { Passkeys } from './passkeys.tsx';
import { SecondFactor } from './second-factor.tsx';
import { SingleSignOn } from './single-sign-on.tsx';

async function leave(path: string, body?: unknown): Promise<void> {
  await settleUndo();
  if (await attempt(() => call('POST', path, body))) leaveAllTabs('signed-out');
}

export default function Profile({ rest: [what] }: PlaceProps) {
  if (what === 'return') {
    return (
      <PageBody title={words.frame.places['sign-in']}>
        <ProviderReturn />
      </PageBody>
    );
  }
  return <OwnProfile />;
}

function OwnProfile() {
  const passkeys = useData<PasskeyState>('passkeys');
  // Both need the current password.
  const hasPassword = passkeys.data?.has_password ?? false;
  return (
    <PageBody
      title={words.frame.places['sign-in']}
      about={me.value?.user?.email}
      actions={<ActionButton onRun={() => leave('sign-out')}>{words.account.profile.signOut}</ActionButton>}
    >
      <Accounts />
      {hasPassword && <Password />}
      <Passkeys of={passkeys} />
      <SingleSignOn passkeys={passkeys.data} />
      {hasPassword && <SecondFactor />}
      <Sessions />
    </PageBody>
  );
}

function Accounts() {
  const accounts = useData<MembershipView[]>('accounts');
  // With one account there is nothing to switch.
  if (!accounts.data || accounts.data.length < 2) return null;
  const t = words.account.profile;
  const change = async (accountId: string) => {
    await settleUndo();
    if (await attempt(() => call('POST', 'accounts/switch', { account_id: accountId })))
      leaveAllTabs('switched');
  };
  return (
    <Part title={t.accounts}>
      <Rows label={t.accounts}>
        {accounts.data.map(({ account_id, name, plan, role, is_this }) => (
          <Row
            key={account_id}
            actions={
              is_this ? (
                <span class="tag tag-accent">{t.current}</span>
              ) : (
                <ActionButton onRun={() => change(account_id)}>{t.switch}</ActionButton>
              )
            }
          >
            <p class="font-medium wrap-anywhere">{name}</p>
            <p class="text-sm text-soft">
              {words.account.roles[role]} · {plan}
            </p>
          </Row>
        ))}
      </Rows>
    </Part>
  );
}

const nothing = { current_password: '', password: '' };

function Password() {
  const t = words.account.profile;
  const [form, setForm] = useState(nothing);
  const { isBusy, fault, findFault, onSubmit } = useSubmit(async () => {
    await call('POST', 'password', form);
    setForm(nothing);
    showToast(t.passwordChanged);
  });
  return (
    <Part title={words.frame.password.password} about={t.passwordAbout}>
      <form class="card max-w-md space-y-4 p-4" onSubmit={onSubmit}>
        <Fault>{fault}</Fault>
        <PasswordField
          label={words.frame.password.current}
          value={form.current_password}
          fault={findFault('current_password')}
          onInput={(currentPassword) => setForm({ ...form, current_password: currentPassword })}
        />
        <PasswordField
          label={words.frame.password.new}
          isNew
          value={form.password}
          fault={findFault('password')}
          onInput={(password) => setForm({ ...form, password })}
        />
        <button type="submit" class="button button-main" disabled={isBusy}>
          {t.changePassword}
        </button>
      </form>
    </Part>
  );
}

function Sessions() {
  const t = words.account.profile;
  const sessions = useData<SessionView[]>('sessions');
  const end = async (id: string) => {
    if (await attempt(() => call('DELETE', `sessions/${id}`))) await sessions.reload();
  };
  const endAll = async () => {
    const sure = await ask({
      title: t.signOutTitle,
      body: t.signOutBody,
      action: t.signOutEverywhere,
      isDanger: true,
    });
    if (sure) await leave('sessions/end-all', { keep_this: false });
  };
  return (
    <Part
      title={t.sessions}
      about={t.sessionsAbout(me.value!.bounds.session_idle_days, me.value!.bounds.session_days)}
      actions={<ActionButton onRun={endAll}>{t.signOutEverywhere}</ActionButton>}
    >
      <Loaded of={sessions} rows={2}>
        {(list) => (
          <Rows label={t.sessions}>
            {list.map(({ id, browser, is_this, created_at, seen_at }) => (
              <Row
                key={id}
                actions={
                  is_this ? (
                    <span class="tag tag-accent">{t.thisBrowser}</span>
                  ) : (
                    <ActionButton onRun={() => end(id)}>{t.signOut}</ActionButton>
                  )
                }
              >
                <p class="font-medium">{browserName(browser)}</p>
                <p class="text-sm text-soft">{t.signedIn(shortTime(created_at), agoTime(seen_at))}</p>
              </Row>
            ))}
          </Rows>
        )}
      </Loaded>
    </Part>
  );
}
