/** Mailers of other languages send to a capture with only host and port set. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { haveTool, runTool } from '../../peers/tools.ts';
import { type RunningAppliance, startAppliance } from '../../start.ts';

const CODE = '482913';
const folder = mkdtempSync(join(tmpdir(), 'postern-mailers-'));
let trap: RunningAppliance;
beforeAll(async () => {
  trap = await startAppliance({ capture: {} });
});
afterAll(async () => {
  await trap[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

interface Mailer {
  /** Its line of .ci/tools. */
  tool: string;
  file: string;
  command(file: string): string[];
  program(port: number): string;
}

const mailers: Record<string, Mailer> = {
  'Go’s net/smtp': {
    tool: 'go',
    file: 'main.go',
    command: (file) => ['go', 'run', file],
    program: (port) => `package main

import "net/smtp"

func main() {
	mail := []byte("From: app@example.com\\r\\nSubject: Sign in\\r\\n\\r\\nYour code is ${CODE}\\r\\n")
	if err := smtp.SendMail("localhost:${port}", nil, "app@example.com", []string{"go@example.com"}, mail); err != nil {
		panic(err)
	}
}
`,
  },
  'Python’s smtplib': {
    tool: 'dkim for Python',
    file: 'send.py',
    command: (file) => ['/usr/bin/python3', file],
    program: (port) => `
import smtplib
from email.message import EmailMessage
mail = EmailMessage()
mail["From"], mail["To"], mail["Subject"] = "app@example.com", "python@example.com", "Sign in"
mail.set_content("Your code is ${CODE}")
with smtplib.SMTP("localhost", ${port}) as smtp:
    smtp.send_message(mail)
`,
  },
  aiosmtplib: {
    tool: 'aiosmtplib',
    file: 'send-async.py',
    command: (file) => ['/usr/bin/python3', file],
    program: (port) => `
import asyncio, aiosmtplib
from email.message import EmailMessage
mail = EmailMessage()
mail["From"], mail["To"], mail["Subject"] = "app@example.com", "aiosmtplib@example.com", "Sign in"
mail.set_content("Your code is ${CODE}")
asyncio.run(aiosmtplib.send(mail, hostname="localhost", port=${port}))
`,
  },
  'Jakarta Mail': {
    tool: 'Jakarta Mail',
    file: 'Send.java',
    command: (file) => [
      'java',
      '-cp',
      '/usr/share/java/jakarta-mail.jar:/usr/share/java/jakarta-activation.jar',
      file,
    ],
    program: (port) => `
import jakarta.mail.*;
import jakarta.mail.internet.*;

public class Send {
  public static void main(String[] args) throws Exception {
    var settings = new java.util.Properties();
    settings.put("mail.smtp.host", "localhost");
    settings.put("mail.smtp.port", "${port}");
    var mail = new MimeMessage(Session.getInstance(settings));
    mail.setFrom("app@example.com");
    mail.setRecipients(Message.RecipientType.TO, "jakarta@example.com");
    mail.setSubject("Sign in");
    mail.setText("Your code is ${CODE}");
    Transport.send(mail);
  }
}
`,
  },
  PHPMailer: {
    tool: 'PHPMailer',
    file: 'phpmailer.php',
    command: (file) => ['php', file],
    program: (port) => `<?php
require '/usr/share/php/libphp-phpmailer/autoload.php';
$mail = new PHPMailer\\PHPMailer\\PHPMailer(true);
$mail->isSMTP();
$mail->Host = 'localhost';
$mail->Port = ${port};
$mail->setFrom('app@example.com');
$mail->addAddress('phpmailer@example.com');
$mail->Subject = 'Sign in';
$mail->Body = 'Your code is ${CODE}';
$mail->send();
`,
  },
  'Symfony Mailer': {
    tool: 'Symfony Mailer',
    file: 'symfony.php',
    command: (file) => ['php', file],
    program: (port) => `<?php
require '/usr/share/php/Symfony/Component/Mailer/autoload.php';
$mailer = new Symfony\\Component\\Mailer\\Mailer(
    Symfony\\Component\\Mailer\\Transport::fromDsn('smtp://localhost:${port}'));
$mailer->send((new Symfony\\Component\\Mime\\Email())
    ->from('app@example.com')->to('symfony@example.com')->subject('Sign in')->text('Your code is ${CODE}'));
`,
  },
  'Ruby’s mail': {
    tool: "Ruby's mail",
    file: 'send.rb',
    command: (file) => ['/usr/bin/ruby', file],
    program: (port) => `
require 'mail'
Mail.defaults { delivery_method :smtp, address: 'localhost', port: ${port} }
Mail.deliver { from 'app@example.com'; to 'ruby@example.com'; subject 'Sign in'; body 'Your code is ${CODE}' }
`,
  },
};

async function readCode(local: string): Promise<unknown> {
  const { json } = await trap.request(
    'GET',
    `/api/v1/inboxes/${local}@example.com/messages/wait?since=0&timeout=5`,
    { key: trap.apiKey! },
  );
  return json?.data?.otp;
}

describe('a mailer without changes', () => {
  for (const [name, { tool, file, command, program }] of Object.entries(mailers)) {
    test.skipIf(!haveTool(tool))(
      `has the code of its mail read: ${name}`,
      async () => {
        const path = join(folder, file);
        writeFileSync(path, program(trap.smtpPort));
        const { exitCode, output } = await runTool(command(path), '', 60_000);
        expect({ exitCode, output: exitCode === 0 ? '' : output }).toEqual({ exitCode: 0, output: '' });
        const local = /([a-z]+)@example\.com/g;
        const to = [...program(0).matchAll(local)].map(([, one]) => one!).find((one) => one !== 'app')!;
        expect(await readCode(to)).toBe(CODE);
      },
      60_000,
    );
  }

  test('has the code of its mail read: nodemailer', async () => {
    const transport = createTransport({ host: 'localhost', port: trap.smtpPort });
    const text = `Your code is ${CODE}`;
    await transport.sendMail({ from: 'app@example.com', to: 'node@example.com', subject: 'Sign in', text });
    transport.close();
    expect(await readCode('node')).toBe(CODE);
  });
});
