/** Debian's Firefox, driven by WebDriver BiDi over a WebSocket: playwright-core only drives its own build of Firefox. */
import { temporaryFolder } from '../doors/operator/folder.ts';
import { haveTool } from './tools.ts';

export const haveFirefox = () => haveTool('firefox');

const START_MS = 60_000;

export interface Firefox extends AsyncDisposable {
  /** Opens a page; resolves at its `load` event. */
  open(url: string): Promise<void>;
  /** Evaluates an expression in the page, and returns its value as a string. */
  evaluate(expression: string): Promise<string>;
}

/** Turns off all requests that Firefox makes to its makers by itself. */
const PREFERENCES = `
user_pref("app.normandy.enabled", false);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("browser.startup.page", 0);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("services.settings.server", "data:,");
`;

export async function openFirefox(): Promise<Firefox> {
  const folder = temporaryFolder();
  await Bun.write(`${folder.path}/user.js`, PREFERENCES);
  const child = Bun.spawn(
    ['firefox-esr', '--headless', '--no-remote', '--profile', folder.path, '--remote-debugging-port=0'],
    { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, HOME: folder.path } },
  );
  const address = await readAddress(child.stderr);
  const ask = await connect(`${address}/session`);
  await ask('session.new', { capabilities: {} });
  const tree = await ask('browsingContext.getTree', {});
  const { context } = tree.contexts[0];
  return {
    async open(url) {
      await ask('browsingContext.navigate', { context, url, wait: 'complete' });
    },
    async evaluate(expression) {
      const { result } = await ask('script.evaluate', {
        expression: `Promise.resolve(${expression}).then(String)`,
        target: { context },
        awaitPromise: true,
      });
      return result.value;
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.exited;
      folder[Symbol.dispose]();
    },
  };
}

async function readAddress(stderr: ReadableStream<Uint8Array>): Promise<string> {
  const deadline = AbortSignal.timeout(START_MS);
  let said = '';
  const reader = stderr.getReader();
  const decoder = new TextDecoder();
  while (!deadline.aborted) {
    const { value, done } = await reader.read();
    if (done) break;
    said += decoder.decode(value, { stream: true });
    const [, address] = /WebDriver BiDi listening on (ws:\S+)/.exec(said) ?? [];
    if (address) {
      // Reads on to the end: Firefox would stop at a full pipe.
      void (async () => {
        while (!(await reader.read()).done);
      })();
      return address;
    }
  }
  throw new Error(`Firefox did not start: ${said}`);
}

// biome-ignore lint/suspicious/noExplicitAny: the callers know the protocol's answers.
type Ask = (method: string, params: object) => Promise<any>;

async function connect(url: string): Promise<Ask> {
  const socket = new WebSocket(url);
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  socket.onmessage = ({ data }) => {
    const { id, result, message } = JSON.parse(String(data));
    if (message) waiting.get(id)?.reject(new Error(message));
    else waiting.get(id)?.resolve(result);
  };
  await new Promise((opened, failed) => {
    socket.onopen = opened;
    socket.onerror = failed;
  });
  let last = 0;
  return (method, params) => {
    const id = ++last;
    const answer = Promise.withResolvers<unknown>();
    waiting.set(id, answer);
    socket.send(JSON.stringify({ id, method, params }));
    return answer.promise;
  };
}
