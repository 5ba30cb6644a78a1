import type { Dictionary } from '../dictionary.ts';
import frame from './frame.ts';
import list from './list.ts';
import reading from './reading.ts';
import search from './search.ts';
export default {
  frame,
  list,
  reading,
  search,
  door: () => import('./door.ts'),
  account: () => import('./account.ts'),
  diary: () => import('./diary.ts'),
  server: () => import('./server.ts'),
  trap: () => import('./trap.ts'),
} satisfies Dictionary;
