import type { DryRunMatchView, RuleView } from '../features/mail-rules/wire.ts';
import { readHost } from './format.ts';
import { words } from './words/words.ts';

/** A rule's conditions and actions in words; for pages that have loaded the texts of `rules`. */

export function nameOfRule({ name }: Pick<RuleView, 'name'>): string {
  return name || words.rules.unnamed;
}

export function listConditions({ inbox_id, inbox_address, from, to, subject, has_code }: RuleView): string[] {
  const t = words.rules.conditions;
  const parts = [
    inbox_id !== null && (inbox_address === null ? t.goneInbox : t.inbox(inbox_address)),
    from !== null && t.from(from),
    to !== null && t.to(to),
    subject !== null && t.subject(subject),
    has_code !== null && (has_code ? t.code : t.noCode),
  ].filter((part) => part !== false);
  return parts.length > 0 ? parts : [t.every];
}

export function listActions(rule: RuleView): string[] {
  const t = words.rules.actions;
  const { tags, mark_read, delete_after_days, forward_to, notify, stop } = rule;
  return [
    tags.length > 0 && t.tag(tags.join(', ')),
    mark_read && t.read,
    delete_after_days !== null && t.delete(delete_after_days),
    ...forward_to.map(t.forward),
    notify !== null && t.notify(readHost(notify.url)),
    stop && t.stop,
  ].filter((part) => part !== false);
}

type Action = DryRunMatchView['actions'][number]['action'];

/** One action of a message. */
export function describeAction(action: Action, detail: string): string {
  const t = words.rules.actions;
  const texts: Record<Action, string> = {
    tag: t.tag(detail),
    mark_read: t.read,
    delete: t.delete(Number(detail)),
    forward: t.forward(detail),
    notify: t.notify(detail),
  };
  return texts[action];
}
