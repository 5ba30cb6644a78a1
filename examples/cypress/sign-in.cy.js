// cypress/e2e/sign-in.cy.js
it('signs in with the code from the mail', () => {
  const email = `${crypto.randomUUID()}@example.com`;
  cy.visit('http://localhost:3000/sign-in');
  cy.get('[name=email]').type(`${email}{enter}`);

  const wait = `http://127.0.0.1:8025/api/v1/inboxes/${email}/messages/wait?since=0`;
  cy.request({ url: wait, timeout: 30_000 }).then(({ body }) => {
    cy.get('[name=code]').type(`${body.data.otp}{enter}`);
  });
  cy.contains('Welcome');
});
