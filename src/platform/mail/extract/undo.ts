/**
 * Links that disable or delete something. In a mail that asks to confirm just that, it is the wanted link: "Confirm the
 * deletion of your account." In any other mail it is for a reader who did not ask.
 */

import { kind } from './lexicon.ts';
import { collectKinds, type ReadMail } from './reading.ts';

/** The words for it among those that deny (words-action.ts). */
const UNDO_IN_TEXT =
  /\bdisable\b|\b(?:remove|unlink) your email|\bremove your address|\bremove this (?:email|address)|\bdelete your account/gi;
export const UNDO_IN_PATH = /disable/i;

/** Returns a link's text without these words. */
export const withoutUndo = (text: string) => text.replace(UNDO_IN_TEXT, '');

/** What a subject asks to confirm. Not what has been done: "was disabled", "gelöscht", "supprimé". */
const REQUEST =
  /(?:delet|remov|disabl|deactivat|clos)(?:e|al|ion|ing|ure)\b|\b(?:turn|switch)(?:ing)? off\b|(?<!ge)lösch|deaktivier(?!t)|entfernen|(?:ab|aus)schalt(?:en|ung)|suppression|supprimer|désactiv(?:er|ation)|elimina(?:r|ción|ção|zione|re)\b|desactiva(?:r|ción)\b|desativa(?:r|ção)\b|exclu(?:ir|são)\b|disattiva(?:re|zione)\b|verwijder(?:en|ing)\b|uitschakel(?:en|ing)\b|usunięci|wyłączeni|удалени|отключени|видаленн|вимкненн|(?<!已)(?:删除|刪除|停用)|削除|無効化|삭제|해제/iu;

/** Whether the mail asks its reader to confirm that something is disabled or deleted. */
export function asksToUndo({ subject }: ReadMail, places: ReadMail['links']): boolean {
  if (!subject || !REQUEST.test(subject.text)) return false;
  const near = places.reduce((kinds, { part, link }) => kinds | collectKinds(part, link.line), 0);
  return ((subject.words.kinds | near) & kind.verify) !== 0;
}
