import { useState } from 'preact/hooks';
import type { InviteState, SetUpState } from '../../doors/dashboard/wire.ts';
import { call } from '../api.ts';
import { attempt, useData, useSubmit } from '../data.ts';
import { Field } from '../parts.tsx';
import { Link } from '../router.tsx';
import { Fault } from '../rows.tsx';
import { DoorFrame, enter } from './frame.tsx';
import { PasswordField } from './password-field.tsx';

/** Choosing the first password, by a link that works once. */

export function Invite({ token }: { token: string }) {
  const { data, fault } = useData<InviteState>(`invite/${encodeURIComponent(token)}`);
  if (fault !== undefined) return <Void>{fault}</Void>;
  if (!data) return null;
  if (data.can_join) {
    return (
      <DoorFrame
        title={`Join ${data.account}`}
        about={`You are signed in as ${data.email}. Your password stays the same, and you can switch between your accounts.`}
      >
        <button
          type="button"
          class="button button-main mt-5 w-full"
          onClick={() =>
            void attempt(() => call('POST', 'invite/join', { token })).then((done) => done && enter())
          }
        >
          Join
        </button>
      </DoorFrame>
    );
  }
  const about = `You were invited to ${data.account} as ${data.role === 'owner' ? 'an owner' : 'a member'}.`;
  return (
    <ChoosePassword title="Choose a password" about={about} email={data.email} path="invite" token={token} />
  );
}

export function SetUp({ token }: { token: string }) {
  const { data, fault } = useData<SetUpState>(`setup/${encodeURIComponent(token)}`);
  if (fault !== undefined) return <Void>{fault}</Void>;
  if (!data) return null;
  return (
    <ChoosePassword
      title="Set up Postern"
      about="This creates the account that operates this server."
      email={data.email}
      path="setup"
      token={token}
    />
  );
}

function Void({ children }: { children: string }) {
  return (
    <DoorFrame title="This link does not work" about={children}>
      <Link to="/dashboard" class="button mt-5 w-full">
        Back to sign in
      </Link>
    </DoorFrame>
  );
}

interface ChooseProps {
  title: string;
  about: string;
  /** Null if the person has to enter it. */
  email: string | null;
  path: 'invite' | 'setup';
  token: string;
}

function ChoosePassword({ title, about, email: known, path, token }: ChooseProps) {
  const [email, setEmail] = useState(known ?? '');
  const [password, setPassword] = useState('');
  const { isBusy, fault, faultOf, onSubmit } = useSubmit(async () => {
    await call('POST', path, known === null ? { token, email, password } : { token, password });
    // Replace, so that Back does not return to a used link.
    location.replace('/dashboard');
  });
  return (
    <DoorFrame title={title} about={about}>
      <form class="mt-5 space-y-4" onSubmit={onSubmit}>
        <Fault>{fault}</Fault>
        <Field label="Email" fault={faultOf('email')}>
          <input
            class="field read-only:text-soft"
            type="email"
            autocomplete="username"
            required
            readOnly={known !== null}
            autofocus={known === null}
            value={email}
            onInput={(event) => setEmail(event.currentTarget.value)}
          />
        </Field>
        <PasswordField
          label="Password"
          isNew
          value={password}
          fault={faultOf('password')}
          onInput={setPassword}
        />
        <button type="submit" class="button button-main w-full" disabled={isBusy}>
          Continue
        </button>
      </form>
    </DoorFrame>
  );
}
