import type { Dictionary } from '../dictionary.ts';
import frame from './frame.ts';
import list from './list.ts';
export default {
  frame,
  list,
  reading: () => import('./reading.ts'),
  search: () => import('./search.ts'),
  door: () => import('./door.ts'),
  conversation: () => import('./conversation.ts'),
  checks: () => import('./checks.ts'),
  delivery: () => import('./delivery.ts'),
  source: () => import('./source.ts'),
  steps: () => import('./steps.ts'),
  account: () => import('./account.ts'),
  passkeys: () => import('./passkeys.ts'),
  audit: () => import('./audit.ts'),
  contacts: () => import('./contacts.ts'),
  diary: () => import('./diary.ts'),
  rules: () => import('./rules.ts'),
  server: () => import('./server.ts'),
  trap: () => import('./trap.ts'),
} satisfies Dictionary;
