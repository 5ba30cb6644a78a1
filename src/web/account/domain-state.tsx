import type { DomainView } from '../../features/domains/wire.ts';

const words = {
  pending_dns: ['waits for its records', 'tag-warn'],
  verified: ['verified', 'tag-accent'],
  failed: ['failed', 'tag-danger'],
  disabled: ['turned off by the operator', 'tag-danger'],
} as const;

export function DomainState({ of: status }: { of: DomainView['status'] }) {
  const [text, colour] = words[status];
  return <span class={`tag ${colour}`}>{text}</span>;
}
