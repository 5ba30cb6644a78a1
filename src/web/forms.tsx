import type { AllHTMLAttributes, ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import type { Submit } from './data.ts';
import { Dialog, type DialogProps } from './dialog.tsx';
import { Fault } from './rows.tsx';
import { words } from './words/words.ts';

/** Forms: labelled controls, each with its error or its hint, and the dialog around them. */

interface FieldProps {
  label: string;
  hint?: ComponentChildren;
  fault?: string | undefined;
}

/** Attributes that every control of a form has. */
interface ControlProps {
  class: string;
  'aria-invalid': boolean;
  'aria-describedby'?: string;
}

/** For a control that has more around it; any other has a component below. */
export function Field({
  label,
  hint,
  fault,
  children,
}: FieldProps & { children: (control: ControlProps) => ComponentChildren }) {
  const id = useId();
  const note = fault ?? hint;
  return (
    <div>
      {/* The note is outside the label, so that it describes the control and is not part of its name. */}
      {/* biome-ignore lint/a11y/noLabelWithoutControl: the control is the child. */}
      <label class="block">
        <span class="mb-1 block text-sm font-medium">{label}</span>
        {children({
          class: 'field',
          'aria-invalid': fault !== undefined,
          ...(note && { 'aria-describedby': id }),
        })}
      </label>
      {note && (
        <p
          id={id}
          class={`mt-1 text-xs ${fault ? 'text-danger' : 'text-soft'}`}
          role={fault ? 'alert' : undefined}
        >
          {note}
        </p>
      )}
    </div>
  );
}

interface Typed {
  value: string;
  onInput: (value: string) => void;
}

/** What a control for text may have. */
type TextAttributes = Pick<
  AllHTMLAttributes<HTMLElement>,
  | 'autocapitalize'
  | 'autocomplete'
  | 'autofocus'
  | 'inputMode'
  | 'list'
  | 'maxlength'
  | 'min'
  | 'placeholder'
  | 'readOnly'
  | 'required'
  | 'rows'
  | 'spellcheck'
  | 'step'
>;

interface TextFieldProps extends FieldProps, Typed, Omit<TextAttributes, 'rows'> {
  type?: 'email' | 'number' | 'search' | 'text' | 'url';
}

/** Browsers heed `autofocus` only in a dialog that opens and in a page where nothing had the focus yet. */
const takeFocus = (element: HTMLElement | null) => element?.focus();

export function TextField({ label, hint, fault, onInput, ...input }: TextFieldProps) {
  return (
    <Field label={label} hint={hint} fault={fault}>
      {(control) => (
        <input
          ref={input.autofocus ? takeFocus : null}
          {...control}
          {...input}
          onInput={({ currentTarget }) => onInput(currentTarget.value)}
        />
      )}
    </Field>
  );
}

interface TextAreaProps
  extends FieldProps,
    Typed,
    Pick<TextAttributes, 'autocomplete' | 'autofocus' | 'rows' | 'spellcheck'> {
  class?: string;
}

/** For several lines. */
export function TextAreaField({ label, hint, fault, onInput, class: more = '', ...area }: TextAreaProps) {
  return (
    <Field label={label} hint={hint} fault={fault}>
      {(control) => (
        <textarea
          {...control}
          {...area}
          class={`field ${more}`}
          onInput={({ currentTarget }) => onInput(currentTarget.value)}
        />
      )}
    </Field>
  );
}

interface SelectProps<Value extends string> extends FieldProps {
  value: Value | undefined;
  /** The text of each value. */
  options: Readonly<Record<Value, string>>;
  onChange: (value: Value) => void;
}

export function SelectField<Value extends string>({
  label,
  hint,
  fault,
  value,
  options,
  onChange,
}: SelectProps<Value>) {
  return (
    <Field label={label} hint={hint} fault={fault}>
      {(control) => (
        <select
          {...control}
          value={value}
          onChange={({ currentTarget }) => onChange(currentTarget.value as Value)}
        >
          {Object.entries<string>(options).map(([each, text]) => (
            <option key={each} value={each}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface CheckboxProps {
  checked: boolean;
  disabled?: boolean;
  onChange: (isChecked: boolean) => void;
  /** The label. */
  children: ComponentChildren;
  class?: string;
}

export function Checkbox({ onChange, children, class: more = '', ...input }: CheckboxProps) {
  return (
    <label class={`flex items-start gap-2.5 ${more}`}>
      <input
        {...input}
        type="checkbox"
        class="mt-0.5 size-4 flex-none"
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      <span class="min-w-0">{children}</span>
    </label>
  );
}

interface FormDialogProps extends DialogProps {
  submit: Submit;
  /** What the form does: the text of its button. */
  action: string;
  /** Something is missing, so it can't be submitted yet. */
  isIncomplete?: boolean;
  /** What is wrong with the form as a whole, if that is more than the server's error says. */
  fault?: string | undefined;
  /** Explains the form, above its fields. */
  about?: ComponentChildren;
}

/** A dialog with a form, and what the server found wrong with it. */
export function FormDialog({
  submit,
  action,
  isIncomplete = false,
  fault = submit.fault,
  about,
  children,
  ...dialog
}: FormDialogProps) {
  return (
    <Dialog {...dialog}>
      <form class="space-y-4" onSubmit={submit.onSubmit}>
        {about && <p class="text-soft">{about}</p>}
        <Fault>{fault}</Fault>
        {children}
        <DialogButtons action={action} isDisabled={submit.isBusy || isIncomplete} onClose={dialog.onClose} />
      </form>
    </Dialog>
  );
}

interface DialogButtonsProps {
  /** What the form does. */
  action: string;
  /** It is being submitted, or can't be yet. */
  isDisabled: boolean;
  onClose: () => void;
}

/** The last line of a form in a dialog: Cancel and the button that submits. */
export function DialogButtons({ action, isDisabled, onClose }: DialogButtonsProps) {
  return (
    <div class="flex flex-wrap justify-end gap-2">
      <button type="button" class="button" onClick={onClose}>
        {words.frame.cancel}
      </button>
      <button type="submit" class="button button-main" disabled={isDisabled}>
        {action}
      </button>
    </div>
  );
}
