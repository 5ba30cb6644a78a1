import { useState } from 'preact/hooks';
import type { DoorState } from '../../doors/dashboard/wire.ts';
import { ApiFailure, call, hasEnded } from '../api.ts';
import { base } from '../base.ts';
import { useData, useSubmit } from '../data.ts';
import { TextField } from '../forms.tsx';
import { findOidcProblem } from '../provider.ts';
import { Fault } from '../rows.tsx';
import { fill } from '../words/fill.ts';
import { words } from '../words/words.ts';
import { DoorFrame, enter } from './frame.tsx';
import { PasskeySignIn } from './passkey-sign-in.tsx';
import { PasswordField } from './password-field.tsx';

/** Signing in, and signing up where the operator allows it. */
export function SignIn() {
  const { data: door } = useData<DoorState>('door');
  const [isNew, setNew] = useState(false);
  const t = words.door;
  return (
    <DoorFrame title={isNew ? t.createAccount : t.signIn} about={describeDoor(isNew, door)}>
      {door?.passwords === false ? (
        <Fault>{findOidcProblem(t.oidcProblems)}</Fault>
      ) : (
        <PasswordForm isNew={isNew} />
      )}
      {door && !isNew && <PasskeySignIn door={door} />}
      {door?.oidc && <SingleSignOn />}
      {door?.signup && (
        <button
          type="button"
          class="mt-4 w-full text-center text-sm text-accent underline-offset-2 hover:underline"
          onClick={() => setNew(!isNew)}
        >
          {isNew ? t.signInInstead : t.createAnAccount}
        </button>
      )}
      {door && !isNew && (
        <p class="mt-4 text-xs text-soft">
          {fill(t.cannotSignIn, { command: <code class="font-mono">postern member link</code> })}
        </p>
      )}
    </DoorFrame>
  );
}

function PasswordForm({ isNew }: { isNew: boolean }) {
  const [form, setForm] = useState({ email: '', name: '', password: '', code: '' });
  const [needsCode, setNeedsCode] = useState(false);
  const { isBusy, fault, findFault, onSubmit } = useSubmit(async () => {
    const { email, name, password, code } = form;
    if (isNew) await call('POST', 'sign-up', { email, name, password });
    else if (!(await signIn({ email, password, ...(needsCode && { code }) }))) return setNeedsCode(true);
    enter();
  });
  const t = words.door;
  return (
    <form class="mt-5 space-y-4" onSubmit={onSubmit}>
      <Fault>{fault ?? findOidcProblem(t.oidcProblems)}</Fault>
      <TextField
        label={t.email}
        fault={findFault('email')}
        type="email"
        // The browser also offers passkeys in it.
        autocomplete={isNew ? 'username' : ('username webauthn' as 'username')}
        required
        autofocus
        value={form.email}
        onInput={(value) => setForm({ ...form, email: value })}
      />
      <PasswordField
        label={words.frame.password.password}
        isNew={isNew}
        value={form.password}
        fault={findFault('password')}
        onInput={(password) => setForm({ ...form, password })}
      />
      {needsCode && !isNew && (
        <CodeField
          value={form.code}
          fault={findFault('code')}
          onInput={(code) => setForm({ ...form, code })}
        />
      )}
      <button type="submit" class="button button-main w-full" disabled={isBusy}>
        {isNew ? t.createAccount : t.signIn}
      </button>
    </form>
  );
}

interface CodeFieldProps {
  value: string;
  fault: string | undefined;
  onInput: (code: string) => void;
}

/** For the second factor. */
function CodeField({ value, fault, onInput }: CodeFieldProps) {
  return (
    <TextField
      label={words.door.code}
      hint={words.door.codeHint}
      fault={fault}
      autocomplete="one-time-code"
      autocapitalize="off"
      spellcheck={false}
      required
      autofocus
      value={value}
      onInput={onInput}
    />
  );
}

function SingleSignOn() {
  return (
    <a class="button mt-3 w-full" href={`${base}/auth/oidc`}>
      {words.door.singleSignOn}
    </a>
  );
}

/** False when the password is right, and the code of the second factor is missing. */
async function signIn(body: { email: string; password: string; code?: string }): Promise<boolean> {
  try {
    await call('POST', 'sign-in', body);
    return true;
  } catch (thrown) {
    if (body.code === undefined && thrown instanceof ApiFailure && thrown.fields.code) return false;
    throw thrown;
  }
}

function describeDoor(isNew: boolean, door: DoorState | undefined): string | undefined {
  const t = words.door;
  if (isNew) return door && t.inboxesAt(door.mail_domain, door.signup_plan);
  return hasEnded.value ? t.sessionEnded : undefined;
}
