import { useState } from 'preact/hooks';
import type { PasskeyState } from '../../features/accounts/passkeys/wire.ts';
import { PasswordField } from '../door/password-field.tsx';
import { canUsePasskeys, type PasskeyAnswer, usePasskey } from '../passkey.ts';
import { words } from '../words/words.ts';

/** How a person confirms a change of how they sign in. */

interface Proof {
  /** What proves that it is still this person; `none` where there is only the sign-in itself. */
  kind: 'password' | 'passkey' | 'none';
  /** Whether the other of the two is there too. */
  canSwitch: boolean;
  password: string;
  setPassword: (password: string) => void;
  setKind: (kind: 'password' | 'passkey') => void;
  read: () => Promise<{ current_password?: string; passkey?: PasskeyAnswer }>;
}

export function useProof({ has_password, passkeys, place }: PasskeyState): Proof {
  const hasPasskey = canUsePasskeys(place) && passkeys.some(({ other_host }) => other_host === null);
  const [kind, setKind] = useState<Proof['kind']>(
    has_password ? 'password' : hasPasskey ? 'passkey' : 'none',
  );
  const [password, setPassword] = useState('');
  const read = async () => {
    if (kind === 'none') return {};
    if (kind === 'password') return { current_password: password };
    return { passkey: await usePasskey('passkeys/confirm') };
  };
  return { kind, canSwitch: has_password && hasPasskey, password, setPassword, setKind, read };
}

export function ProofField({ of: proof, fault }: { of: Proof; fault: string | undefined }) {
  const t = words.passkeys;
  const { kind, canSwitch, password, setPassword, setKind } = proof;
  const other = kind === 'password' ? 'passkey' : 'password';
  return (
    <div class="space-y-2">
      {kind === 'password' && (
        <PasswordField
          label={words.frame.password.current}
          value={password}
          fault={fault}
          onInput={setPassword}
        />
      )}
      {kind === 'passkey' && <p class="text-sm text-soft">{t.confirmByPasskey}</p>}
      {canSwitch && (
        <button
          type="button"
          class="text-sm text-accent underline-offset-2 hover:underline"
          onClick={() => setKind(other)}
        >
          {other === 'passkey' ? t.usePasskeyInstead : t.usePasswordInstead}
        </button>
      )}
    </div>
  );
}
