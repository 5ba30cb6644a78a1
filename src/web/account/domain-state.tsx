import type { DomainView } from '../../features/domains/wire.ts';

const words = {
  pending_dns: ['pending DNS', 'tag-warn'],
  verified: ['verified', 'tag-accent'],
  failed: ['failed', 'tag-danger'],
  disabled: ['disabled by the operator', 'tag-danger'],
} as const;

export function DomainState({ of: status }: { of: DomainView['status'] }) {
  const [text, colour] = words[status];
  return <span class={`tag ${colour}`}>{text}</span>;
}
