import type { DomainView } from '../../features/domains/wire.ts';
import { words } from '../words/words.ts';

const colours = {
  pending_dns: 'tag-warn',
  verified: 'tag-accent',
  failed: 'tag-danger',
  disabled: 'tag-danger',
} as const;

export function DomainState({ of: status }: { of: DomainView['status'] }) {
  return <span class={`tag ${colours[status]}`}>{words.account.domains.states[status]}</span>;
}
