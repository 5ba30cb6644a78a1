/** Real reverse proxies in front of a server, configured with the text in docs/server.md. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readText } from '../tidy/documents.ts';
import { makeCa } from './https-receiver.ts';
import { haveTool } from './tools.ts';

export const proxyNames = ['nginx', 'Caddy', 'Traefik'] as const;
export type ProxyName = (typeof proxyNames)[number];

/** The host that the configurations in the document serve, and the server that they pass requests to. */
const DOCUMENT_HOST = 'home.example';
const DOCUMENT_SERVER = '127.0.0.1:8025';
const WITHIN_MS = 10_000;

export interface ReverseProxy extends AsyncDisposable {
  /** `https://localhost:port`. */
  origin: string;
}

interface Place {
  folder: string;
  port: number;
  server: string;
  cert: string;
  key: string;
}

interface Proxy {
  language: string;
  /** Changes the document's text into one that strips the path, as the proxy's own documentation says. */
  strip: (text: string) => string;
  /** Writes the configuration files, and returns the command that starts the proxy. */
  configure: (text: string, place: Place) => string[];
}

const proxies: Record<ProxyName, Proxy> = {
  nginx: {
    language: 'nginx',
    strip: (text) => text.replace(/proxy_pass ([^;]+);/, 'proxy_pass $1/;'),
    configure(text, { folder, port, cert, key }) {
      const server = text
        .replace('listen 443', `listen 127.0.0.1:${port}`)
        .replace(/ssl_certificate [^;]+/, `ssl_certificate ${cert}`)
        .replace(/ssl_certificate_key [^;]+/, `ssl_certificate_key ${key}`);
      const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
      writeFileSync(
        join(folder, 'nginx.conf'),
        `daemon off; pid ${folder}/pid; error_log stderr; events {} http { access_log off;
         ${temp.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
         ${server} }`,
      );
      // Otherwise its workers run as another user, which has no access to the folder.
      return ['nginx', '-c', join(folder, 'nginx.conf'), '-g', `user ${process.env.USER ?? 'root'};`];
    },
  },
  Caddy: {
    language: 'caddyfile',
    strip: (text) =>
      text.replace(
        /\t@postern[\s\S]*\t}\n/,
        `\thandle_path /mail* {\n\t\treverse_proxy ${DOCUMENT_SERVER}\n\t}\n`,
      ),
    configure(text, { folder, port, cert, key }) {
      const site = text.replace('localhost {', `https://localhost:${port} {\n\ttls ${cert} ${key}`);
      writeFileSync(join(folder, 'Caddyfile'), `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${site}`);
      return ['caddy', 'run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile'];
    },
  },
  Traefik: {
    language: 'yaml',
    strip: (text) =>
      `${text.replace('service: postern', 'service: postern\n      middlewares: [strip]')}  middlewares:
    strip:
      stripPrefix:
        prefixes: [/mail]
`,
    configure(text, { folder, port, cert, key }) {
      const certificates = `tls:\n  certificates:\n    - certFile: ${cert}\n      keyFile: ${key}\n`;
      writeFileSync(join(folder, 'postern.yml'), text + certificates);
      return [
        process.env.TRAEFIK ?? 'traefik',
        `--entryPoints.websecure.address=127.0.0.1:${port}`,
        `--providers.file.filename=${join(folder, 'postern.yml')}`,
        '--global.checkNewVersion=false',
        '--global.sendAnonymousUsage=false',
        '--log.level=ERROR',
      ];
    },
  },
};

/**
 * Returns whether a proxy is installed. Debian has no package of Traefik, and the Go module proxy lacks some of its modules,
 * so its tests run only on a machine that has it (TRAEFIK names the executable).
 */
export function haveProxy(name: ProxyName): boolean {
  if (name !== 'Traefik') return haveTool(name.toLowerCase());
  return Bun.which(process.env.TRAEFIK ?? 'traefik') !== null;
}

/** Returns the configuration in the document. */
export function readDocumented(name: ProxyName): string {
  const blocks = [...readText('docs/server.md').matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)];
  const found = blocks.find(([, language]) => language === proxies[name].language)?.[2];
  if (found === undefined) throw new Error(`docs/server.md has no configuration for ${name}`);
  return found;
}

/** Starts a proxy in front of the server at this port. With `strips` it removes the path from the requests. */
export async function startProxy(name: ProxyName, serverPort: number, strips = false): Promise<ReverseProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-proxy-'));
  const port = await freePort();
  const issued = await (await makeCa()).issue(['localhost']);
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  writeFileSync(cert, issued.cert);
  writeFileSync(key, issued.key);
  const { strip, configure } = proxies[name];
  const documented = readDocumented(name);
  const text = (strips ? strip(documented) : documented)
    .replaceAll(DOCUMENT_HOST, 'localhost')
    .replaceAll(DOCUMENT_SERVER, `127.0.0.1:${serverPort}`);
  const place = { folder, port, server: `127.0.0.1:${serverPort}`, cert, key };
  const child = Bun.spawn(configure(text, place), {
    env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin`, HOME: folder, XDG_DATA_HOME: folder },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const said = child.stderr.text();
  const origin = `https://localhost:${port}`;
  const stop = async () => {
    child.kill('SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), 2_000);
    await child.exited;
    clearTimeout(late);
    rmSync(folder, { recursive: true, force: true });
  };
  if (!(await answers(origin, () => child.exitCode !== null))) {
    await stop();
    throw new Error(`${name} does not answer: ${await said}`);
  }
  return { origin, [Symbol.asyncDispose]: stop };
}

async function answers(origin: string, hasEnded: () => boolean): Promise<boolean> {
  const until = performance.now() + WITHIN_MS;
  while (performance.now() < until && !hasEnded()) {
    const answer = await fetch(`${origin}/mail/healthz`, { tls: { rejectUnauthorized: false } }).catch(
      () => null,
    );
    if (answer?.ok) return true;
    await Bun.sleep(50);
  }
  return false;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as { port: number };
  await new Promise((done) => server.close(done));
  return port;
}
