/** S3-compatible object storage on this machine. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../scripts/measure/processes.ts';
import { installNpm } from './installed.ts';
import { haveTool } from './tools.ts';

export interface S3Server extends AsyncDisposable {
  endpoint: string;
  bucket: string;
  key: string;
  secret: string;
}

/** A server program: how it is started in a folder with the bucket, and the credentials that it accepts. */
interface S3Program {
  key: string;
  secret: string;
  start(dir: string, port: number): { command: string[]; env?: Record<string, string> };
}

const bucket = 'mail-copies';

/** Whether the server that startS3Server starts refuses a wrong secret. */
export const checksSecrets = Boolean(process.env.MINIO || process.env.VERSITYGW);

/**
 * Starts MinIO if MINIO names its executable, or VersityGW if VERSITYGW does (`go install github.com/minio/minio@latest`
 * and `go install github.com/versity/versitygw/cmd/versitygw@v1.8.0` take minutes). Otherwise it starts s3rver from npm,
 * which accepts a wrong secret. Null if that can't be installed.
 */
export async function startS3Server(): Promise<S3Server | null> {
  const program = await findProgram();
  if (program === null) return null;
  const dir = mkdtempSync(join(tmpdir(), 'postern-s3-'));
  mkdirSync(join(dir, bucket));
  const port = await freePort();
  const { command, env = {} } = program.start(dir, port);
  const child = Bun.spawn(command, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...env },
  });
  const endpoint = `http://127.0.0.1:${port}`;
  while (child.exitCode === null && !(await fetch(endpoint).catch(() => null))) await Bun.sleep(20);
  if (child.exitCode !== null) throw new Error(`${command[0]} did not start`);
  const { key, secret } = program;
  return {
    endpoint,
    bucket,
    key,
    secret,
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.exited;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

async function findProgram(): Promise<S3Program | null> {
  const own = { key: 'postern-key', secret: 'postern-secret' };
  const { MINIO: minio, VERSITYGW: gateway } = process.env;
  if (minio) {
    const env = { MINIO_ROOT_USER: own.key, MINIO_ROOT_PASSWORD: own.secret };
    return {
      ...own,
      start: (dir, port) => ({ command: [minio, 'server', dir, '--address', `127.0.0.1:${port}`], env }),
    };
  }
  if (gateway) {
    const keys = ['--access', own.key, '--secret', own.secret];
    const command = [gateway, ...keys, '--quiet', '--port'];
    return { ...own, start: (dir, port) => ({ command: [...command, `127.0.0.1:${port}`, 'posix', dir] }) };
  }
  const folder = haveTool('node') ? await installNpm('s3rver', ['s3rver@3.7.1']) : null;
  if (folder === null) return null;
  const program = join(folder, 'node_modules/s3rver/bin/s3rver.js');
  const options = ['-a', '127.0.0.1', '--silent', '--configure-bucket', bucket];
  return {
    key: 'S3RVER',
    secret: 'S3RVER',
    start: (dir, port) => ({ command: ['node', program, '-d', dir, '-p', String(port), ...options] }),
  };
}
