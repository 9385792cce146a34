import { describe, expect, it } from 'vitest';
import { createMetrics } from '../../../src/observe/metrics.ts';

describe('metrics', () => {
  it('requests are counted by route, method and status, and timed', async () => {
    const metrics = createMetrics();
    metrics.countRequest({ route: '/api/v1/orgs/:slug/ads', method: 'POST', status: 201, seconds: 0.02 });
    const text = await metrics.render();
    expect(text).toContain('tearsheet_requests_total{route="/api/v1/orgs/:slug/ads",method="POST",status="201"} 1');
    expect(text).toContain('tearsheet_request_duration_seconds_count{route="/api/v1/orgs/:slug/ads",method="POST"} 1');
  });

  it('a method that a client invents creates no time series', async () => {
    const metrics = createMetrics();
    for (let n = 0; n < 50; n += 1) metrics.countRequest({ route: 'x', method: `M${n}`, status: 404, seconds: 0 });
    expect(await metrics.render()).toContain('{route="x",method="other",status="404"} 50');
  });

  it('screenshots and deliveries are counted by outcome', async () => {
    const metrics = createMetrics();
    metrics.countScreenshots(['no_slots']);
    metrics.recordCapturePhase('page', 3);
    metrics.timeMilestones([{ milestone: 'first_picture', priority: 'low', seconds: 290 }]);
    metrics.countProcessorSeconds(2.5);
    metrics.countDelivery({ channel: 'webhook', outcome: 'delivered' });
    metrics.countDeliveryAttempt({ channel: 's3', outcome: 'retry', seconds: 10 });
    const text = await metrics.render();
    expect(text).toContain('tearsheet_captures_total{status="no_slots"} 1');
    expect(text).toContain(
      'tearsheet_set_milestone_seconds_bucket{le="300",milestone="first_picture",priority="low"} 1',
    );
    expect(text).toContain(
      'tearsheet_set_milestone_seconds_bucket{le="120",milestone="first_picture",priority="low"} 0',
    );
    expect(text).toContain('tearsheet_capture_processor_seconds_total 2.5');
    expect(text).toContain('tearsheet_capture_phase_seconds_sum{phase="page"} 3');
    expect(text).toContain('tearsheet_deliveries_total{channel="webhook",outcome="delivered"} 1');
    expect(text).toContain('tearsheet_delivery_attempts_total{channel="s3",outcome="retry"} 1');
  });

  it('series that alerts watch start at 0', async () => {
    const text = await createMetrics().render();
    expect(text).toContain('tearsheet_deliveries_total{channel="webhook",outcome="retries_exhausted"} 0');
    expect(text).toContain('tearsheet_delivery_attempts_total{channel="s3",outcome="retry"} 0');
    expect(text).toContain('tearsheet_captures_total{status="blocked"} 0');
    expect(text).toContain('tearsheet_set_milestone_seconds_count{milestone="deadline",priority="high"} 0');
    expect(text).not.toContain('pending');
  });

  it('each scrape reads the work queues and drops a queue that no longer exists', async () => {
    const metrics = createMetrics();
    let states = [{ name: 'launch', depth: 3, oldestAgeSeconds: 1.5 }];
    metrics.collectQueue(() => Promise.resolve(states));
    expect(await metrics.render()).toContain('tearsheet_queue_depth{queue="launch"} 3');
    states = [{ name: 'deliver', depth: 1, oldestAgeSeconds: 0 }];
    const text = await metrics.render();
    expect(text).toContain('tearsheet_queue_oldest_seconds{queue="deliver"} 0');
    expect(text).not.toContain('queue="launch"');
  });

  it('a scrape answers when the work queue cannot be read, and counts the failure', async () => {
    const metrics = createMetrics();
    metrics.collectQueue(() => Promise.reject(new Error('no database')));
    expect(await metrics.render()).toContain('tearsheet_queue_collect_failures_total 1');
  });

  it('only counters have names that end in _total', async () => {
    const text = await createMetrics().render();
    const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
    expect(types.length).toBeGreaterThan(20);
    expect(types.filter(([, name = '', type]) => name.endsWith('_total') !== (type === 'counter'))).toEqual([]);
  });

  it('every metric has the prefix tearsheet_ and a help text', async () => {
    const described = await createMetrics().describe();
    expect(described.length).toBeGreaterThan(10);
    for (const { name, help } of described) {
      expect(name).toMatch(/^tearsheet_[a-z0-9_]+$/);
      expect(help).not.toBe('');
    }
  });
});
