import { describe, expect, it } from 'vitest';
import { useE2eContext } from './support/e2eContext.ts';

const e2e = useE2eContext('memory', { capture: { retries: 1 } });

describe('captures with too little memory, on a real cluster', () => {
  it('captures without enough memory have the reason OOMKilled, and their set fails after the last retry', async () => {
    await e2e.changeProfile({ resources: { limits: { memory: '40Mi' } }, shmSize: '8Mi' });
    const set = await e2e.requestSet('OOMKilled');
    await e2e.expectReason(set, 'OOMKilled');
    const { status } = await e2e.expectReason(set, 'Failed');
    expect(status?.failed).toBe(1);
    const { screenshots } = await e2e.waitForSetStatus(set, 'failed');
    expect(screenshots[0]?.reason).toBeTruthy();
  });
});
