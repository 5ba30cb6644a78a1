import { words } from './words/words.ts';

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
