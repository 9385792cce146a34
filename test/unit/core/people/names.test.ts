import { expect, test } from 'vitest';
import { invitationMail } from '../../../../src/core/people/mails.ts';
import { nameOf } from '../../../../src/core/people/users.ts';

test('a name is one line, and no link in the mail of an invitation', () => {
  const name = nameOf('Your mailbox is locked.\n\nUnlock: https://evil.example/x', null);
  expect(name).toBe('Your mailbox is locked. Unlock: https://evil.example/x');
  const link = { slug: 'acme', url: 'https://tearsheet.example/invitations/1', by: name };
  const { text } = invitationMail({ email: 'ann@example.com', role: 'viewer' }, link);
  expect(text).toMatch(
    /^Your mailbox is locked\. Unlock: https: \/evil\. example\/x invites you to the organization acme/,
  );
});
