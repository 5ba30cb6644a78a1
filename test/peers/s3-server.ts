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

const bucket = 'mail-copies';
const [key, secret] = ['S3RVER', 'S3RVER'];

/**
 * VersityGW where VERSITYGW names it (`go install github.com/versity/versitygw/cmd/versitygw@v1.8.0` takes minutes),
 * and otherwise s3rver from npm, which does not mind a wrong secret. Null where neither can be had.
 */
export async function startS3Server(): Promise<S3Server | null> {
  const command = await findProgram();
  if (command === null) return null;
  const dir = mkdtempSync(join(tmpdir(), 'postern-s3-'));
  mkdirSync(join(dir, bucket));
  const port = await freePort();
  const child = Bun.spawn(command(dir, port), { stdio: ['ignore', 'ignore', 'inherit'] });
  const endpoint = `http://127.0.0.1:${port}`;
  while (child.exitCode === null && !(await fetch(endpoint).catch(() => null))) await Bun.sleep(20);
  if (child.exitCode !== null) throw new Error(`${command(dir, port)[0]} did not start`);
  return {
    ...{ endpoint, bucket, key, secret },
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.exited;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

async function findProgram(): Promise<((dir: string, port: number) => string[]) | null> {
  const gateway = process.env.VERSITYGW;
  if (gateway) {
    const keys = ['--access', key, '--secret', secret];
    return (dir, port) => [gateway, ...keys, '--port', `127.0.0.1:${port}`, '--quiet', 'posix', dir];
  }
  const folder = haveTool('node') ? await installNpm('s3rver', ['s3rver@3.7.1']) : null;
  if (folder === null) return null;
  const program = join(folder, 'node_modules/s3rver/bin/s3rver.js');
  return (dir, port) => [
    ...['node', program, '-d', dir, '-a', '127.0.0.1', '-p', String(port)],
    ...['--silent', '--configure-bucket', bucket],
  ];
}
