import { useState } from 'preact/hooks';
import type { DoorState } from '../../doors/dashboard/wire.ts';
import { useData } from '../data.ts';
import { Field } from '../forms.tsx';
import { words } from '../words/words.ts';

/** A password field with a button to show the password. */
export function PasswordField({
  label,
  value,
  onInput,
  isNew = false,
  fault,
}: {
  label: string;
  value: string;
  onInput: (value: string) => void;
  /** For choosing a password rather than entering one. */
  isNew?: boolean;
  fault?: string | undefined;
}) {
  const [isShown, setShown] = useState(false);
  return (
    <div class="relative">
      <Field label={label} fault={fault} hint={isNew ? <PasswordRules /> : undefined}>
        {(control) => (
          <input
            {...control}
            class="field pr-16"
            // Preact's types do not allow a type that changes.
            type={(isShown ? 'text' : 'password') as 'password'}
            autocomplete={isNew ? 'new-password' : 'current-password'}
            required
            maxlength={1000}
            value={value}
            onInput={(event) => onInput(event.currentTarget.value)}
          />
        )}
      </Field>
      <button
        type="button"
        class="absolute top-0 right-0 text-sm text-soft underline-offset-2 hover:text-ink hover:underline"
        aria-pressed={isShown}
        aria-label={words.frame.password.showOne(label)}
        onClick={() => setShown(!isShown)}
      >
        {isShown ? words.frame.password.hide : words.frame.password.show}
      </button>
    </div>
  );
}

function PasswordRules() {
  const { data: door } = useData<DoorState>('door');
  return door ? words.frame.password.rules(door.password_chars_min) : null;
}
