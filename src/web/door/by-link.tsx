import { useState } from 'preact/hooks';
import type { DoorState } from '../../doors/dashboard/wire.ts';
import type { InviteState, SetUpState } from '../../features/accounts/sessions/wire.ts';
import { ActionButton } from '../action-button.tsx';
import { call } from '../api.ts';
import { home } from '../base.ts';
import { attempt, useData, useSubmit } from '../data.ts';
import { TextField } from '../forms.tsx';
import { canUsePasskeys } from '../passkey.ts';
import { findOidcProblem } from '../provider.ts';
import { Link } from '../router.tsx';
import { Fault } from '../rows.tsx';
import { words } from '../words/words.ts';
import { DoorFrame, enter } from './frame.tsx';
import { PasskeyByLink } from './passkey-by-link.tsx';
import { PasswordField } from './password-field.tsx';
import { SingleSignOnByLink } from './single-sign-on-by-link.tsx';

/** Choosing a password with a one-time link: the first one, or a new one in place of one that was lost. */

export function Invite({ token }: { token: string }) {
  const { data, fault } = useData<InviteState>(`invite/${encodeURIComponent(token)}`);
  if (fault !== undefined) return <Void>{fault}</Void>;
  if (!data) return null;
  const t = words.door;
  if (data.can_join) {
    return (
      <DoorFrame title={t.joinAccount(data.account)} about={t.joinAbout(data.email)}>
        <ActionButton
          class="button button-main mt-5 w-full"
          onRun={async () => {
            if (await attempt(() => call('POST', 'invite/join', { token }))) enter();
          }}
        >
          {t.join}
        </ActionButton>
      </DoorFrame>
    );
  }
  const invited = data.role === 'owner' ? t.invitedAsOwner(data.account) : t.invitedAsMember(data.account);
  return (
    <ChoosePassword
      title={data.is_returning ? t.chooseNewPassword : t.choosePassword}
      about={data.is_returning ? t.returning(data.account) : invited}
      email={data.email}
      path="invite"
      token={token}
      mayUsePasskey={data.may_use_passkey}
      mayUseSingleSignOn={data.may_use_single_sign_on}
    />
  );
}

export function SetUp({ token }: { token: string }) {
  const { data, fault } = useData<SetUpState>(`setup/${encodeURIComponent(token)}`);
  if (fault !== undefined) return <Void>{fault}</Void>;
  if (!data) return null;
  return (
    <ChoosePassword
      title={words.door.setUp}
      about={data.email === null ? words.door.setUpAbout : words.door.setUpKnown}
      email={data.email}
      path="setup"
      token={token}
      mayUsePasskey
      mayUseSingleSignOn={false}
    />
  );
}

function Void({ children }: { children: string }) {
  return (
    <DoorFrame title={words.door.badLink} about={children}>
      <Link to={home} class="button mt-5 w-full">
        {words.door.backToSignIn}
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
  mayUsePasskey: boolean;
  mayUseSingleSignOn: boolean;
}

function ChoosePassword(props: ChooseProps) {
  const { title, about, email: known, path, token, mayUsePasskey, mayUseSingleSignOn } = props;
  const [email, setEmail] = useState(known ?? '');
  const [password, setPassword] = useState('');
  const { data: door } = useData<DoorState>('door');
  const { isBusy, fault, findFault, onSubmit } = useSubmit(async () => {
    await call('POST', path, known === null ? { token, email, password } : { token, password });
    // Replace, so that Back does not return to a used link.
    location.replace(home);
  });
  // Where the link only signs in, only a passkey lets the person come back.
  const isMain = !door || door.passwords || !canUsePasskeys(door.passkeys);
  return (
    <DoorFrame title={door?.passwords ? title : words.door.signIn} about={about}>
      <form class="mt-5 space-y-4" onSubmit={onSubmit}>
        <Fault>{fault ?? findOidcProblem(words.door.oidcProblems)}</Fault>
        <TextField
          label={words.door.email}
          fault={findFault('email')}
          type="email"
          autocomplete="username"
          required
          readOnly={known !== null}
          autofocus={known === null}
          value={email}
          onInput={setEmail}
        />
        {door?.passwords && (
          <PasswordField
            label={words.frame.password.password}
            isNew
            value={password}
            fault={findFault('password')}
            onInput={setPassword}
          />
        )}
        <button type="submit" class={`button w-full ${isMain ? 'button-main' : ''}`} disabled={isBusy}>
          {words.door.continue}
        </button>
      </form>
      {mayUseSingleSignOn && <SingleSignOnByLink token={token} />}
      {door && mayUsePasskey && (
        <PasskeyByLink door={door} path={path} token={token} email={known === null ? email : null} />
      )}
    </DoorFrame>
  );
}
