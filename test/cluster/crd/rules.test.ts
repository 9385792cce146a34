/** The rules by which the API server itself rejects a ScreenshotJob. */
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { type ScreenshotJobs, SPEC, screenshotJobs } from './screenshotJobs.ts';

let shots: ScreenshotJobs;

beforeAll(async () => {
  shots = await screenshotJobs();
});
afterAll(() => shots?.remove());

/** Names of resources are the tests' own: they share a namespace. */
const { set: _set, ...WITHOUT_SET } = SPEC;

describe('the spec of a ScreenshotJob', () => {
  const other = 'c0ffee00-0000-4000-8000-000000000000';
  it.each([
    ['organization', 'another'],
    ['set', other],
    ['job', other],
    ['ads', 3],
    ['batches', 4],
    ['screenshots', 13],
    ['parallelism', 4],
    ['retries', 0],
    ['deadlines', { captureSeconds: 1 }],
    ['ttlSecondsAfterFinished', 1],
  ])('a change of spec.%s is rejected', async (field, value) => {
    const name = `keeps-${field.toLowerCase()}`;
    await shots.create(name);
    const { stderr } = await shots.patch(name, { spec: { [field]: value } });
    expect(stderr).toContain(`spec.${field} cannot be changed`);
  });

  it('a set that is added or removed later is rejected', async () => {
    await shots.create('without-set', WITHOUT_SET);
    const given = await shots.patch('without-set', { spec: { set: other } });
    expect(given.stderr).toContain('spec.set cannot be changed');
    await shots.create('with-set');
    const taken = await shots.patch('with-set', { spec: { set: null } });
    expect(taken.stderr).toContain('spec.set cannot be changed');
  });

  it('the spec of a ScreenshotJob cannot be removed', async () => {
    await shots.create('whole');
    const { code, stderr } = await shots.patch('whole', { spec: null });
    expect(code).not.toBe(0);
    expect(stderr).toContain('spec: Required value');
  });
});

describe('spec.cancel', () => {
  it('spec.cancel can be set once, and neither cleared nor removed afterwards', async () => {
    await shots.create('canceled');
    expect(await shots.patch('canceled', { spec: { cancel: true } })).toMatchObject({ code: 0, stderr: '' });
    for (const cancel of [false, null]) {
      const { stderr } = await shots.patch('canceled', { spec: { cancel } });
      expect(stderr).toContain('spec.cancel cannot be taken back');
    }
  });

  it('spec.cancel may be false before it is true', async () => {
    await shots.create('not-canceled', { ...SPEC, cancel: false });
    for (const cancel of [null, false, true])
      expect(await shots.patch('not-canceled', { spec: { cancel } })).toMatchObject({ code: 0 });
  });
});

test('a name that is too long for the names of its Jobs and pods is rejected', async () => {
  expect(await shots.create('n'.repeat(52))).toMatchObject({ code: 0 });
  const { stderr } = await shots.create('n'.repeat(53));
  expect(stderr).toContain('metadata.name: Too long');
});

test.each([
  ['an organization of 64 characters', { organization: 'o'.repeat(64) }, 'spec.organization: Too long'],
  ['a set that is not a UUID', { set: 'all of them' }, 'spec.set'],
  ['a parallelism of zero', { parallelism: 0 }, 'spec.parallelism'],
  ['a count below zero', { ads: -1 }, 'spec.ads'],
  ['a count beyond 32 bits', { screenshots: 2 ** 31 }, 'spec.screenshots'],
  ['an unknown field', { pods: 3 }, 'unknown field "spec.pods"'],
])('%s is rejected', async (_case, change, fault) => {
  const { code, stderr } = await shots.create('refused', { ...SPEC, ...change });
  expect(code).not.toBe(0);
  expect(stderr).toContain(fault);
});
