import { useState } from 'preact/hooks';
import type { DoorState } from '../../doors/dashboard/wire.ts';
import { call, hasEnded } from '../api.ts';
import { base } from '../base.ts';
import { useData, useSubmit } from '../data.ts';
import { Field } from '../parts.tsx';
import { Fault } from '../rows.tsx';
import { fill } from '../words/fill.ts';
import { words } from '../words/words.ts';
import { DoorFrame, enter } from './frame.tsx';
import { PasswordField } from './password-field.tsx';

type OidcProblem = keyof typeof words.door.oidcProblems;

/** Signing in, and signing up where the operator allows it. */
export function SignIn() {
  const { data: door } = useData<DoorState>('door');
  const [isNew, setNew] = useState(false);
  const [form, setForm] = useState({ email: '', name: '', password: '' });
  const { isBusy, fault, faultOf, onSubmit } = useSubmit(async () => {
    const { email, name, password } = form;
    await (isNew
      ? call('POST', 'sign-up', { email, name, password })
      : call('POST', 'sign-in', { email, password }));
    enter();
  });
  const t = words.door;
  const fields = (
    <form class="mt-5 space-y-4" onSubmit={onSubmit}>
      <Fault>{fault ?? findProblem()}</Fault>
      <Field label={t.email} fault={faultOf('email')}>
        <input
          class="field"
          type="email"
          autocomplete="username"
          required
          autofocus
          value={form.email}
          onInput={(event) => setForm({ ...form, email: event.currentTarget.value })}
        />
      </Field>
      <PasswordField
        label={words.frame.password.password}
        isNew={isNew}
        value={form.password}
        fault={faultOf('password')}
        onInput={(password) => setForm({ ...form, password })}
      />
      <button type="submit" class="button button-main w-full" disabled={isBusy}>
        {isNew ? t.createAccount : t.signIn}
      </button>
    </form>
  );
  return (
    <DoorFrame title={isNew ? t.createAccount : t.signIn} about={describeDoor(isNew, door)}>
      {door?.passwords === false ? <Fault>{findProblem()}</Fault> : fields}
      {door?.oidc && <SingleSignOn />}
      {door?.signup ? (
        <button
          type="button"
          class="mt-4 w-full text-center text-sm text-accent underline-offset-2 hover:underline"
          onClick={() => setNew(!isNew)}
        >
          {isNew ? t.signInInstead : t.createAnAccount}
        </button>
      ) : door?.passwords === false ? null : (
        <p class="mt-4 text-xs text-soft">
          {fill(t.forgotten, { command: <code class="font-mono">postern member password</code> })}
        </p>
      )}
    </DoorFrame>
  );
}

function SingleSignOn() {
  return (
    <a class="button mt-3 w-full" href={`${base}/auth/oidc`}>
      {words.door.singleSignOn}
    </a>
  );
}

/** Why the identity provider's answer led back here. */
function findProblem(): string | undefined {
  return words.door.oidcProblems[new URLSearchParams(location.search).get('sign_in') as OidcProblem];
}

function describeDoor(isNew: boolean, door: DoorState | undefined): string | undefined {
  const t = words.door;
  if (isNew) return door && t.inboxesAt(door.mail_domain, door.signup_plan);
  return hasEnded.value ? t.sessionEnded : undefined;
}
