import type { Dictionary } from '../dictionary.ts';
import frame from './frame.ts';
export default {
  frame,
  door: () => import('./door.ts'),
  account: () => import('./account.ts'),
  diary: () => import('./diary.ts'),
  server: () => import('./server.ts'),
  trap: () => import('./trap.ts'),
} satisfies Dictionary;
