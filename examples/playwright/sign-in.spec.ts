// npm install -D @playwright/test; npx playwright test
import { expect, test } from '@playwright/test';

test('a new user signs in with the code from the mail', async ({ page, request }) => {
  const email = `${crypto.randomUUID()}@example.com`;
  await page.goto('http://localhost:3000/sign-in');
  await page.getByLabel('Email').fill(email);
  await page.getByRole('button', { name: 'Send code' }).click();

  const mail = await request.get(`http://127.0.0.1:8025/api/v1/inboxes/${email}/messages/wait?since=0`);
  await page.getByLabel('Code').fill((await mail.json()).data.otp);
  await expect(page.getByText('Welcome')).toBeVisible();
});
