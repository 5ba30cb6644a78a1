/** The certificate that a first start would create. Creating it would take each test file a tenth of a second. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The host of the default settings. The certificate is valid for it until 2090. */
export const READY_HOST = 'mx.postern.test';

const certificate = `
MIIBVDCB/KADAgECAglEwDRRUEKpmo8wCgYIKoZIzj0EAwIwGjEYMBYGA1UEAxMP
bXgucG9zdGVybi50ZXN0MCAXDTIwMDEwMTAwMDAwMFoYDzIwOTAwMTAxMDAwMDAw
WjAaMRgwFgYDVQQDEw9teC5wb3N0ZXJuLnRlc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASBQTFWFhqQw53/zIHfUGVYaWgKl57KT+ZMMs8KtLf2RSipA3BgHPrh
/fy51yn22KbQIll68sldMdWV+GfnLHCtoykwJzAJBgNVHRMEAjAAMBoGA1UdEQQT
MBGCD214LnBvc3Rlcm4udGVzdDAKBggqhkjOPQQDAgNHADBEAiBbm6z7Yy3Cyo6f
zRRYe6is9BjKDMe9u8hnjomZfR58qQIgLNBIjEiXegl8bq8tXNJukQgywnCaawOB
BZLKXNvBfEw=`;

const key = `
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg+Whu3HJFRC8Tauvs
TCkMJC/xOGWJ9rmz8AnRQSoQ4vyhRANCAASBQTFWFhqQw53/zIHfUGVYaWgKl57K
T+ZMMs8KtLf2RSipA3BgHPrh/fy51yn22KbQIll68sldMdWV+GfnLHCt`;

/** Puts key and certificate where the server keeps its self-signed ones. */
export function putCertificate(dataDir: string): void {
  const dir = join(dataDir, 'tls');
  mkdirSync(dir, { mode: 0o700 });
  writeFileSync(join(dir, 'self-signed.crt'), pem('CERTIFICATE', certificate), { mode: 0o644 });
  writeFileSync(join(dir, 'self-signed.key'), pem('PRIVATE KEY', key), { mode: 0o600 });
}

function pem(what: string, base64: string): string {
  return `-----BEGIN ${what}-----${base64}\n-----END ${what}-----\n`;
}
