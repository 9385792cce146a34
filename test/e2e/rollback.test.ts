/** A failed upgrade and its rollback, with sets in flight. */
import { describe, expect, it } from 'vitest';
import { keepConsole } from './support/commands.ts';
import { PATIENT, useE2eContext } from './support/e2eContext.ts';

/** Long enough for Helm to see that the new pods do not start. */
const FAILING_SECONDS = 15;

describe.each([
  // The old pods serve during the failed upgrade. With a folder, the API is replaced, because one pod at a time may write it.
  ['a bucket', 'bucket', {}],
  [
    'a folder',
    'folder',
    {
      artifacts: { url: 'file:///pictures', endpoint: '', accessKeyId: '', secretAccessKey: '' },
      api: { replicas: 1 },
    },
  ],
])('an installation with pictures in %s', (_what, label, values) => {
  const e2e = useE2eContext(`rollback-${label}`, { ...values, settings: PATIENT });

  it('after a failed upgrade and a rollback, all sets end with their pictures', async () => {
    const { installation, servers } = e2e;
    const early = await e2e.requestSetOfHeldPage('Early');
    const failed = await installation.tryUpgrade({ image: { tag: 'no-such-tag' } }, FAILING_SECONDS);
    expect(failed.code).not.toBe(0);
    const pods = await installation.kubectl(['get', 'pods']);
    servers.requestGate.release('Early');
    const during = label === 'bucket' ? [await e2e.requestSet('During')] : [];
    await installation.rollback();
    const after = await e2e.requestSet('After');
    keepConsole(
      `rollback-${label}`,
      `$ kubectl get pods\n${pods}\n$ helm rollback t\n${await installation.kubectl(['get', 'pods'])}`,
    );
    for (const set of [early, ...during, after]) await e2e.expectApproved(set);
  });
});
