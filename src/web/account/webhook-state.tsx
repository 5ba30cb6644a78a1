/** A webhook as the server tells of it. */
export interface Hook {
  inbox_id: string;
  url: string;
  enabled: boolean;
  disabled_reason: string | null;
  consecutive_failures: number;
  failing_since: string | null;
  previous_secret_until: string | null;
}

const reasons: Record<string, string> = {
  operator: 'off',
  gone: 'off: the receiver said 410 Gone',
  failing: 'off: five days of failures',
};

export function HookState({ of: { enabled, disabled_reason, consecutive_failures } }: { of: Hook }) {
  if (!enabled) return <span class="tag tag-warn">{reasons[disabled_reason ?? ''] ?? 'off'}</span>;
  if (consecutive_failures === 0) return <span class="tag tag-accent">on</span>;
  const failures =
    consecutive_failures === 1 ? 'the last one failed' : `${consecutive_failures} failures in a row`;
  return <span class="tag tag-danger">{failures}</span>;
}
