import { useState } from 'preact/hooks';
import type { MembershipView, SessionView } from '../../doors/dashboard/wire.ts';
import { call, me } from '../api.ts';
import { attempt, useData, useSubmit } from '../data.ts';
import { ask } from '../dialog.tsx';
import { PasswordField } from '../door/password-field.tsx';
import { shortTime } from '../format.ts';
import { PageBody } from '../parts.tsx';
import { Fault, Loaded, Part, Row, Rows } from '../rows.tsx';
import { tell } from '../toast.tsx';
import { browserName } from './browser-name.ts';

async function leave(path: string, body?: unknown): Promise<void> {
  if (await attempt(() => call('POST', path, body))) location.assign('/dashboard');
}

export default function Profile() {
  return (
    <PageBody
      title="Profile"
      about={me.value?.user?.email}
      actions={
        <button type="button" class="button" onClick={() => void leave('sign-out')}>
          Sign out
        </button>
      }
    >
      <Accounts />
      <Password />
      <Sessions />
    </PageBody>
  );
}

function Accounts() {
  const accounts = useData<MembershipView[]>('accounts');
  // With one account there is nothing to switch.
  if (!accounts.data || accounts.data.length < 2) return null;
  const change = async (accountId: string) => {
    if (await attempt(() => call('POST', 'accounts/switch', { account_id: accountId })))
      location.assign('/dashboard');
  };
  return (
    <Part title="Your accounts">
      <Rows label="Your accounts">
        {accounts.data.map(({ account_id, name, plan, role, is_this }) => (
          <Row
            key={account_id}
            actions={
              is_this ? (
                <span class="tag tag-accent">current</span>
              ) : (
                <button type="button" class="button" onClick={() => void change(account_id)}>
                  Switch
                </button>
              )
            }
          >
            <p class="truncate font-medium">{name}</p>
            <p class="text-sm text-soft">
              {role}, {plan}
            </p>
          </Row>
        ))}
      </Rows>
    </Part>
  );
}

const nothing = { current_password: '', password: '' };

function Password() {
  const [form, setForm] = useState(nothing);
  const { isBusy, fault, faultOf, onSubmit } = useSubmit(async () => {
    await call('POST', 'password', form);
    setForm(nothing);
    tell('Password changed');
  });
  return (
    <Part title="Password" about="Changing your password signs you out everywhere else.">
      <form class="card max-w-md space-y-4 p-4" onSubmit={onSubmit}>
        <Fault>{fault}</Fault>
        <PasswordField
          label="Current password"
          value={form.current_password}
          fault={faultOf('current_password')}
          onInput={(currentPassword) => setForm({ ...form, current_password: currentPassword })}
        />
        <PasswordField
          label="New password"
          isNew
          value={form.password}
          fault={faultOf('password')}
          onInput={(password) => setForm({ ...form, password })}
        />
        <button type="submit" class="button button-main" disabled={isBusy}>
          Change password
        </button>
      </form>
    </Part>
  );
}

function Sessions() {
  const sessions = useData<SessionView[]>('sessions');
  const end = async (id: string) => {
    if (await attempt(() => call('DELETE', `sessions/${id}`))) await sessions.reload();
  };
  const endAll = async () => {
    const body = 'This signs you out in every browser, including this one.';
    const sure = await ask({
      title: 'Sign out everywhere?',
      body,
      action: 'Sign out everywhere',
      isDanger: true,
    });
    if (sure) await leave('sessions/end-all', { keep_this: false });
  };
  return (
    <Part
      title="Sessions"
      about={`A session ends after ${me.value?.bounds.session_idle_days} days without use, and after ${me.value?.bounds.session_days} days at the latest.`}
      actions={
        <button type="button" class="button" onClick={() => void endAll()}>
          Sign out everywhere
        </button>
      }
    >
      <Loaded of={sessions} rows={2}>
        {(list) => (
          <Rows label="Sessions">
            {list.map(({ id, browser, is_this, created_at, seen_at }) => (
              <Row
                key={id}
                actions={
                  is_this ? (
                    <span class="tag tag-accent">this browser</span>
                  ) : (
                    <button type="button" class="button" onClick={() => void end(id)}>
                      Sign out
                    </button>
                  )
                }
              >
                <p class="font-medium">{browserName(browser)}</p>
                <p class="text-sm text-soft">
                  Signed in {shortTime(created_at)}, last active {shortTime(seen_at)}
                </p>
              </Row>
            ))}
          </Rows>
        )}
      </Loaded>
    </Part>
  );
}
