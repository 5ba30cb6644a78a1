import { useState } from 'preact/hooks';
import { Field } from '../parts.tsx';

/** A password, hidden until asked for. */
export function PasswordField({
  label,
  value,
  onInput,
  is_new = false,
  fault,
}: {
  label: string;
  value: string;
  onInput: (value: string) => void;
  /** To be chosen, not to be remembered. */
  is_new?: boolean;
  fault?: string | undefined;
}) {
  const [is_shown, setShown] = useState(false);
  return (
    <div class="relative">
      <Field
        label={label}
        fault={fault}
        hint={is_new ? 'At least 8 characters, and no common password.' : undefined}
      >
        <input
          class="field pr-16"
          // Preact's types know a text field and a password field, and none that changes.
          type={(is_shown ? 'text' : 'password') as 'password'}
          autocomplete={is_new ? 'new-password' : 'current-password'}
          required
          minlength={is_new ? 8 : undefined}
          maxlength={1000}
          value={value}
          aria-invalid={fault ? 'true' : undefined}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      </Field>
      <button
        type="button"
        class="absolute top-0 right-0 text-sm text-soft underline-offset-2 hover:text-ink hover:underline"
        aria-pressed={is_shown}
        aria-label={`Show ${label.toLowerCase()}`}
        onClick={() => setShown(!is_shown)}
      >
        {is_shown ? 'Hide' : 'Show'}
      </button>
    </div>
  );
}
