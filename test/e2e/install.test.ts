import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { CREATIVES } from '../fixtures/media/creatives.ts';
import { eventually } from '../support/eventually.ts';
import { keepConsole } from './support/commands.ts';
import { useE2eContext } from './support/e2eContext.ts';
import { type ScreenshotSet, screenshotRequest } from './support/externalServers.ts';

/** With the sizes of the chart. */
const e2e = useE2eContext('install', {}, {});

/** Lines of the table, without the names that are new each time. */
const cells = (line: string): string[] => line.trim().split(/\s{2,}/);

describe('Tearsheet, installed by Helm with the values for a trial', () => {
  it('the first installation becomes ready and names the next commands', async () => {
    keepConsole(
      'install',
      `$ helm install t charts/tearsheet -f examples/values-trial.yaml -f values.yaml --wait\n${e2e.notes}`,
    );
    const pods = await e2e.installation.kubectl(['get', 'pods', '-o', 'wide']);
    keepConsole('install-pods', `$ kubectl get pods -o wide\n${pods}`);
    expect(e2e.notes).toContain('tearsheet org create');
    for (const component of ['api', 'controller']) {
      const deployment = await e2e.installation.deployment(component);
      const ready = await e2e.installation.kubectl([
        'get',
        'deployment',
        deployment,
        '-o',
        'jsonpath={.status.readyReplicas}/{.spec.replicas}',
      ]);
      expect(ready).toMatch(/^([1-9])\/\1$/);
    }
  });

  it('helm test passes, and the diagnosis has every section and no secret', async () => {
    const { installation } = e2e;
    const tested = await installation.helmTest();
    keepConsole('helm-test', `$ helm test t\n${tested.stdout}${tested.stderr}`);
    expect([tested.code, tested.stdout.match(/Phase: +Succeeded/g)?.length]).toEqual([0, 5]);
    const controller = `deployment/${await installation.deployment('controller')}`;
    const printed = await installation.kubectl(['exec', controller, '-c', 'controller', '--', 'tearsheet', 'diagnose']);
    keepConsole('diagnose', `$ kubectl exec ${controller} -- tearsheet diagnose\n${printed}`);
    const bundle = JSON.parse(printed) as Record<string, { failed?: string } | null>;
    expect(Object.entries(bundle).filter(([, section]) => section?.failed !== undefined)).toEqual([]);
    expect(printed).not.toMatch(/postgres(ql)?:\/\/|AKIA|BEGIN/);
  });

  it('a set that is posted through the Service is captured, and kubectl shows each step', async () => {
    e2e.servers.requestGate.hold('first');
    const asked = screenshotRequest(e2e.servers, { campaign: 'First', gate: 'first', pages: ['blog', 'news'] });
    const set = await e2e.installation.call<ScreenshotSet>('POST', '/screenshot_requests', asked);

    const running = await e2e.installation.waitForReason(set.id, 'Running');
    await eventually(async () => {
      const [header = '', row = ''] = (await e2e.installation.kubectl(['get', 'screenshotjobs'])).split('\n');
      expect(cells(header)).toEqual(['NAME', 'STATUS', 'DONE', 'FAILED', 'PODS', 'AGE']);
      expect(cells(row).slice(0, 5)).toEqual([running.metadata.name, 'Running', '0/2', '0', '2']);
    });
    keepConsole(
      'running',
      await e2e.kubectlOutput(
        ['get', 'screenshotjobs'],
        ['get', 'shot', '-o', 'wide'],
        ['get', 'tearsheet'],
        ['get', 'jobs,pods', '-l', 'app.kubernetes.io/component=capture'],
      ),
    );

    e2e.servers.requestGate.release('first');
    const name = `screenshotjob/${running.metadata.name}`;
    await e2e.installation.kubectl(['wait', '--for=condition=Settled', name, '--timeout=90s'], {
      timeoutMs: 240_000,
    });
    await e2e.installation.kubectl(['wait', '--for=condition=Succeeded', name, '--timeout=10s']);
    // Its pods end a moment after its last picture.
    await eventually(async () => {
      const [, row = ''] = (await e2e.installation.kubectl(['get', 'screenshotjobs'])).split('\n');
      expect(cells(row).slice(1, 5)).toEqual(['Completed', '2/2', '0', '0']);
    });
    const wide = (await e2e.installation.kubectl(['get', 'screenshotjobs', '-o', 'wide'])).split('\n')[0] ?? '';
    for (const column of ['ORGANIZATION', 'SET', 'MESSAGE', 'DURATION']) expect(wide).toContain(column);
    const described = await e2e.installation.kubectl(['describe', name]);
    keepConsole('completed', await e2e.kubectlOutput(['get', 'screenshotjobs', '-o', 'wide'], ['describe', name]));
    for (const type of ['AdsCaptured', 'SitesCaptured', 'Settled', 'Succeeded']) expect(described).toContain(type);
    expect(described).toMatch(/Events:\n\s+Type\s+Reason\s+Age\s+From\s+Message/);
    expect(described).toContain('Running');
    expect(described).toContain('Completed');
  });

  it('the bucket has the pictures with the ad, and the subscriber gets its event', async () => {
    const { data } = await e2e.installation.call<{ data: ScreenshotSet[] }>('GET', '/screenshot_sets');
    const set = await e2e.installation.call<ScreenshotSet>('GET', `/screenshot_sets/${data[0]?.id}`);
    expect(set.status).toBe('approved');
    expect(set.screenshots.map(({ status, reason }) => reason ?? status)).toEqual(['uploaded', 'uploaded']);
    for (const { image_url } of set.screenshots) {
      const png = await e2e.installation.download(image_url ?? '');
      expect(await holdsSignature(png)).toBe(true);
    }
    expect((await e2e.installation.pictures()).length).toBeGreaterThanOrEqual(2);
    await eventually(() => expect(e2e.servers.receiver.accepted('screenshot_set.approved', set.id)).toHaveLength(1));
    expect(e2e.servers.receiver.forged).toBe(0);
  });

  it('kubectl explain describes each field of the ScreenshotJob', async () => {
    const explained = await e2e.installation.kubectl(['explain', 'screenshotjob.spec']);
    keepConsole('explain', `$ kubectl explain screenshotjob.spec\n${explained}`);
    for (const field of ['organization', 'parallelism', 'deadlines', 'cancel']) expect(explained).toContain(field);
    expect(explained).not.toContain('<no description>');
  });

  it('Pod Security "restricted" warns of no container, and no container can call the API as a capture', async () => {
    const [capture] = await e2e.installation.list<{ spec: { template: { spec: Record<string, unknown> } } }>(
      'jobs',
      'app.kubernetes.io/component=capture',
    );
    const spec = capture?.spec.template.spec;
    if (spec !== undefined) expect(spec['automountServiceAccountToken']).toBe(false);
    const pods = await e2e.installation.list<{
      metadata: { name: string };
      spec: { containers: { securityContext?: Record<string, unknown> }[] };
    }>('pods');
    for (const { spec: pod } of pods) {
      for (const { securityContext } of pod.containers) {
        expect(securityContext).toMatchObject({ allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } });
      }
    }
  });
});

/** The patch of one color by which the creative is known is somewhere in the picture, whole. */
async function holdsSignature(png: Buffer): Promise<boolean> {
  const creative = CREATIVES.find(({ mediaKind }) => mediaKind === 'jpeg');
  if (creative === undefined) throw new Error('There is no JPEG among the creatives.');
  const { rgb, tolerance, width, height } = creative.signature;
  const { data, info } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const matches = (x: number, y: number): boolean => {
    const at = (y * info.width + x) * 3;
    return rgb.every((value, channel) => Math.abs(value - (data[at + channel] ?? -999)) <= tolerance);
  };
  let run = 0;
  for (let y = 0; y + height <= info.height; y++) {
    for (let x = 0; x < info.width; x++) {
      run = matches(x, y) && matches(x, y + height - 1) ? run + 1 : 0;
      if (run >= width) return true;
    }
    run = 0;
  }
  return false;
}
