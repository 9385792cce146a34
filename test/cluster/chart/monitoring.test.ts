import { describe, expect, it, test } from 'vitest';
import { type Manifest, merged, NAMESPACE, render, type Values } from './rendered.ts';

const EVERYTHING = {
  monitoring: {
    serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
    prometheusRule: { enabled: true, runbookUrl: 'https://wiki.example/runbooks' },
    grafanaDashboard: { enabled: true },
  },
};

test('each alert selects only this release and links to its runbook', async () => {
  const [group] = (await render(EVERYTHING)).get('PrometheusRule', '')['spec'].groups;
  expect(group.rules.length).toBeGreaterThan(5);
  for (const { alert, expr, annotations } of group.rules) {
    expect(expr).toContain(`namespace="${NAMESPACE}", service="t-tearsheet-metrics"`);
    expect(annotations.runbook_url).toBe(`https://wiki.example/runbooks#${alert.toLowerCase()}`);
  }
});

test('alerts have no link to a runbook unless the values name an address', async () => {
  const [group] = (await render(merged(EVERYTHING, { monitoring: { prometheusRule: { runbookUrl: '' } } }))).get(
    'PrometheusRule',
    '',
  )['spec'].groups;
  for (const { annotations } of group.rules) expect(annotations).not.toHaveProperty('runbook_url');
});

test('Helm leaves the templates of Prometheus and Grafana unchanged', async () => {
  const rendered = await render(EVERYTHING);
  expect(JSON.stringify(rendered.get('PrometheusRule', ''))).toContain('{{ $labels.queue }}');
  const dashboard = rendered.get('ConfigMap', 'dashboard');
  expect(JSON.parse(dashboard['data']['tearsheet.json']).title).toBe('Tearsheet');
  expect(dashboard.metadata.labels).toMatchObject({ grafana_dashboard: '1' });
});

test('the monitor scrapes the Service whose name alerts select by', async () => {
  const rendered = await render(EVERYTHING);
  const { metadata, spec } = rendered.get('ServiceMonitor', '');
  expect(metadata.labels).toMatchObject({ release: 'prometheus' });
  const service = rendered.get('Service', 'metrics');
  expect(service.metadata.labels).toMatchObject(spec.selector.matchLabels);
  expect(service.metadata.name).toBe('t-tearsheet-metrics');
  expect(spec.endpoints).toMatchObject([{ port: 'metrics', relabelings: [{ targetLabel: 'component' }] }]);
});

describe('an operator', () => {
  const rules = async (prometheusRule: Values): Promise<Manifest[]> => {
    const values = merged(EVERYTHING, { monitoring: { prometheusRule } });
    return (await render(values)).get('PrometheusRule', '')['spec'].groups[0].rules;
  };

  it('values can change the labels of all alerts, and override or disable one alert by its name', async () => {
    const changed = await rules({
      alertLabels: { team: 'ads' },
      disabled: ['TearsheetBacklogOld'],
      overrides: {
        TearsheetApiSlow: { for: '30m', labels: { severity: 'info' } },
        TearsheetWorkQueueStalled: { expr: 'max(tearsheet_queue_oldest_seconds{%SELECTOR%}) > 900' },
      },
    });
    const before = await rules({});
    const named = new Map(changed.map((rule) => [rule['alert'], rule]));
    expect(changed).toHaveLength(before.length - 1);
    expect(named.has('TearsheetBacklogOld')).toBe(false);
    expect(named.get('TearsheetApiSlow')).toMatchObject({ for: '30m', labels: { team: 'ads', severity: 'info' } });
    expect(named.get('TearsheetApiDown')).toMatchObject({ for: '2m', labels: { team: 'ads', severity: 'critical' } });
    expect(named.get('TearsheetWorkQueueStalled')?.['expr']).toContain(`{namespace="${NAMESPACE}", service=`);
  });

  it('values that disable or override an unknown alert are rejected', async () => {
    for (const prometheusRule of [{ disabled: ['TearsheetApiDwon'] }, { overrides: { TearsheetApiDwon: {} } }])
      await expect(rules(prometheusRule)).rejects.toThrow('prometheusRule');
  });

  it('values can change the relabelings of the ServiceMonitor', async () => {
    const drop = { sourceLabels: ['__name__'], regex: 'tearsheet_nodejs_.*', action: 'drop' };
    const more = { targetLabel: 'cluster', replacement: 'eu' };
    const serviceMonitor = { relabelings: [more], metricRelabelings: [drop] };
    const { spec } = (await render(merged(EVERYTHING, { monitoring: { serviceMonitor } }))).get('ServiceMonitor', '');
    expect(spec.endpoints).toMatchObject([
      { relabelings: [{ targetLabel: 'component' }, more], metricRelabelings: [drop] },
    ]);
  });
});
