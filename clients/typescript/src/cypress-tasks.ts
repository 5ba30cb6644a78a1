/** The tasks behind the commands for Cypress, for `setupNodeEvents`. */
import { openForRun, type RunPostern } from './plugins/run.js';
import type { StartOptions } from './server.js';
import type { WaitOptions } from './wait.js';

interface WaitTask {
  address: string;
  options: WaitOptions;
}

/** The `on` that Cypress passes to `setupNodeEvents`. */
export type AddTasks = (event: 'task', tasks: Record<string, Task>) => unknown;
// biome-ignore lint/suspicious/noExplicitAny: Cypress's type; each task declares its argument.
type Task = (argument: any) => Promise<unknown>;

/**
 * Adds the tasks. Uses the Postern at `POSTERN_URL`, or starts one that ends with Cypress. The app under test must send
 * its mail to the returned `smtpUrl`.
 */
export async function addPostern(on: AddTasks, options?: StartOptions): Promise<RunPostern> {
  const running = await openForRun(options);
  const { client } = running;
  on('task', {
    // Only its fields: the result of a task is copied to the browser.
    'postern:createInbox': async () => ({ ...(await client.inboxes.create()) }),
    'postern:waitForCode': async ({ address, options }: WaitTask) =>
      (await client.inbox(address).waitForCode(options)).code,
    'postern:waitForLink': async ({ address, options }: WaitTask) =>
      (await client.inbox(address).waitForLink(options)).link,
  });
  return running;
}
