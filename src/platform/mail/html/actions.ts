/** Reads schema.org actions from JSON-LD, with which a sender says what there is to do. */
import type { MailAction } from './page.ts';

const DEPTH_MAX = 8;
const NODES_MAX = 500;

/** Returns all actions with a target in a JSON-LD script; none if it is not JSON. */
export function readActions(json: string): MailAction[] {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return [];
  }
  const found: MailAction[] = [];
  collect(value, found, 0, { left: NODES_MAX });
  return found;
}

function collect(value: unknown, found: MailAction[], depth: number, budget: { left: number }): void {
  if (typeof value !== 'object' || value === null || depth > DEPTH_MAX || budget.left-- <= 0) return;
  if (Array.isArray(value)) {
    for (const one of value.slice(0, NODES_MAX)) collect(one, found, depth + 1, budget);
    return;
  }
  const node = value as Record<string, unknown>;
  const type = typeof node['@type'] === 'string' ? node['@type'] : '';
  const url = /Action$/.test(type) ? readTarget(node) : undefined;
  if (url) found.push({ type, url });
  for (const [name, one] of Object.entries(node))
    if (name !== '@context') collect(one, found, depth + 1, budget);
}

function readTarget(action: Record<string, unknown>): string | undefined {
  const handler = action.handler as Record<string, unknown> | undefined;
  for (const target of [action.target, action.url, handler?.url]) {
    if (typeof target === 'string') return target;
    const template = (target as Record<string, unknown> | undefined)?.urlTemplate;
    if (typeof template === 'string') return template;
  }
  return undefined;
}
