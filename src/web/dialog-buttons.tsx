import { words } from './words/words.ts';

interface DialogButtonsProps {
  /** What the form does. */
  action: string;
  isBusy: boolean;
  onClose: () => void;
}

/** The last line of a form in a dialog: Cancel and the button that submits. */
export function DialogButtons({ action, isBusy, onClose }: DialogButtonsProps) {
  return (
    <div class="flex justify-end gap-2">
      <button type="button" class="button" onClick={onClose}>
        {words.frame.cancel}
      </button>
      <button type="submit" class="button button-main" disabled={isBusy}>
        {action}
      </button>
    </div>
  );
}
