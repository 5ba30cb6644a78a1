import type { ComponentChildren } from 'preact';
import { ApiFailure, callOnce } from '../api.ts';
import { useSubmit } from '../data.ts';
import { Dialog } from '../dialog.tsx';
import { DialogButtons, TextField } from '../forms.tsx';
import { Fault } from '../rows.tsx';
import { showToast } from '../toast.tsx';
import { words } from '../words/words.ts';
import { ChosenFiles, isTooMuch, readFiles } from './chosen-files.tsx';
import type { Draft } from './drafts.ts';

interface LetterProps {
  title: string;
  /** The sender, and the recipient if there is no field for it. */
  about: ComponentChildren;
  /** The route that sends it (docs/api-v1.md, Outbound email). */
  path: string;
  /** Survives when the dialog is closed, unless the email was sent or the person pressed *Cancel*. */
  draft: Omit<Draft<object>, 'fields' | 'change'>;
  /** Everything but the attachments. */
  makeBody: () => object;
  canSend: boolean;
  action: string;
  onClose: () => void;
  onSent?: () => void;
  /** Renders the fields; `findFault` returns the problem of a field. */
  children: (findFault: (field: string) => string | undefined) => ComponentChildren;
}

/** A dialog that sends an email: the fields that differ, attachments, and the server's errors. */
export function Letter(props: LetterProps) {
  const { title, about, path, draft, makeBody, canSend, action, onClose, onSent, children } = props;
  const { files } = draft;
  const submit = useSubmit(async () => {
    const attachments = files.length > 0 ? { attachments: await readFiles(files) } : {};
    await callOnce(draft.key, path, { ...makeBody(), ...attachments }).catch(explainGone);
    draft.discard();
    showToast(words.conversation.letter.queued);
    onSent?.();
    onClose();
  });
  const discard = () => {
    draft.discard();
    onClose();
  };
  const fault = submit.fault ?? submit.findFault('attachments') ?? submit.findFault('body');
  return (
    <Dialog title={title} onClose={onClose} wide>
      <form class="space-y-4" onSubmit={submit.onSubmit}>
        <p class="text-soft">{about}</p>
        {children(submit.findFault)}
        <ChosenFiles files={files} lost={draft.lostFiles} onChange={draft.changeFiles} />
        <Fault>{fault}</Fault>
        <DialogButtons
          action={action}
          isDisabled={submit.isBusy || !canSend || isTooMuch(files)}
          onClose={discard}
        />
      </form>
    </Dialog>
  );
}

/** Replaces the API's *Not found* with what was not found. */
function explainGone(fault: unknown): never {
  if (!(fault instanceof ApiFailure && fault.code === 'not_found')) throw fault;
  throw new ApiFailure(fault.status, fault.code, words.conversation.letter.gone);
}

interface AddressProps {
  label: string;
  value: string;
  onInput: (value: string) => void;
  fault: string | undefined;
  isFirst?: boolean;
}

/** Addresses, separated by commas, semicolons or, without names, spaces (readAddresses). */
export function AddressField({ isFirst = false, ...field }: AddressProps) {
  return (
    <TextField
      inputMode="email"
      autofocus={isFirst}
      required={isFirst}
      placeholder={isFirst ? 'ann@example.com' : undefined}
      {...field}
    />
  );
}

export function readAddresses(text: string): string[] {
  // With names, as email clients copy them, spaces are not separators: `"Lee, Ann" <ann@example.com>`.
  const entries = text.includes('<') ? text.match(/(?:[^,;"]|"[^"]*")+/g) : text.split(/[\s,;]+/);
  return (entries ?? []).map((entry) => entry.trim()).filter(Boolean);
}
