/** The tasks behind the commands for Cypress, for `setupNodeEvents`. */
import { openForRun, type RunPostern } from './plugins/run.js';
import type { StartOptions } from './server.js';
import type { WaitOptions } from './wait.js';

interface WaitTask {
  address: string;
  options: WaitOptions;
}

/** As Cypress gives it to `setupNodeEvents`. */
export type AddTasks = (event: 'task', tasks: Record<string, Task>) => unknown;
// biome-ignore lint/suspicious/noExplicitAny: as Cypress has it; a task says what it takes.
type Task = (argument: any) => Promise<unknown>;

/**
 * Adds the tasks. Uses the Postern of `POSTERN_URL`, or starts one that ends with Cypress; `smtpUrl` is where the app
 * that is tested sends its mail.
 */
export async function addPostern(on: AddTasks, options?: StartOptions): Promise<RunPostern> {
  const running = await openForRun(options);
  const { client } = running;
  on('task', {
    // Its fields alone: what a task returns is copied to the browser.
    'postern:createInbox': async () => ({ ...(await client.inboxes.create()) }),
    'postern:waitForCode': async ({ address, options }: WaitTask) =>
      (await client.inbox(address).waitForCode(options)).code,
    'postern:waitForLink': async ({ address, options }: WaitTask) =>
      (await client.inbox(address).waitForLink(options)).link,
  });
  return running;
}
