/** test/peers/sign-up.ts as a program of its own, as test runners start the app that they test: PORT, SMTP_URL. */
import { startSignUp } from '../../peers/sign-up.ts';

const smtp = new URL(process.env.SMTP_URL ?? '');
const app = await startSignUp({
  smtp: { host: smtp.hostname, port: Number(smtp.port) },
  port: Number(process.env.PORT),
});
console.log(app.url);
