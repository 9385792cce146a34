import { expect, test } from 'vitest';
import { type BundleSources, diagnose } from '../../../../src/commands/diagnose/bundle.ts';

const SECRETS = [
  'correcthorse',
  'S3cretPassw0rd',
  'AKIAEXAMPLEEXAMPLE',
  'whsec_c2VjcmV0',
  'k1:c2VjcmV0c2VjcmV0',
  'acme-launch',
];

const SOURCES: BundleSources = {
  env: {
    DATABASE_URL: 'postgres://tearsheet:S3cretPassw0rd@db.internal:5432/tearsheet',
    SECRETS_KEYS: 'k1:c2VjcmV0c2VjcmV0',
    AWS_ACCESS_KEY_ID: 'AKIAEXAMPLEEXAMPLE',
    SMTP_URL: 'smtps://tearsheet:correcthorse@mail.internal',
    S3_REGION: 'eu-central-1 whsec_c2VjcmV0',
    MAX_PODS: '40',
    LOG_LEVEL: 'info',
  },
  db: () => Promise.reject(new Error('password authentication failed for postgres://tearsheet:S3cretPassw0rd@db')),
  cluster: () => Promise.reject(new Error('jobs "acme-launch" is forbidden: token whsec_c2VjcmV0 was refused')),
  checkArtifacts: () => Promise.reject(new Error('the password is correcthorse and nothing else')),
  sectionMs: 50,
};

test('sections that fail or hang say why, the others are there, and no secret is', async () => {
  const bundle = await diagnose(SOURCES);
  const text = JSON.stringify(bundle);
  for (const secret of SECRETS) expect(text).not.toContain(secret);
  expect(bundle).toMatchObject({
    versions: { node: process.version },
    settings: { DATABASE_URL: '(set)', SECRETS_KEYS: '(set)', S3_REGION: '(set)', MAX_PODS: '40', LOG_LEVEL: 'info' },
    queues: { failed: expect.stringContaining('password … failed for') },
    artifacts: { failed: expect.stringContaining('and nothing else') },
    cluster: { failed: expect.stringContaining('is forbidden') },
  });
});

test('a section that hangs ends at its deadline', async () => {
  const { artifacts } = await diagnose({ ...SOURCES, checkArtifacts: () => new Promise(() => {}) });
  expect(artifacts).toEqual({ failed: expect.stringMatching(/deadline|time/i) });
});
