/** Alerts and dashboard use only metrics that exist, and every alert has a runbook. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { createMetrics, MILESTONE_BUCKETS } from '../../../src/observe/metrics.ts';

const ROOT = path.join(import.meta.dirname, '../../..');
/** Metrics in an expression of PromQL, without the labels of `by`. */
const metricsOf = (expr: string) => [...new Set(expr.match(/\b(?:tearsheet_\w+|up)\b/g))];

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string };
}
interface Panel {
  readonly title: string;
  readonly type: string;
  readonly description: string;
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const text = readFileSync(path.join(ROOT, 'charts/tearsheet/files/alerts.yaml'), 'utf8');
const alerts: Alert[] = parse(text.replaceAll('%SELECTOR%', 'namespace="shots"'));
const dashboard = readFileSync(path.join(ROOT, 'charts/tearsheet/files/dashboard.json'), 'utf8');
const panels: Panel[] = JSON.parse(dashboard).panels.filter(({ type }: Panel) => type !== 'row');
const queries = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const));

/** The names of all time series in a scrape. A histogram has three. */
async function known(): Promise<Set<string>> {
  const described = await createMetrics().describe();
  const ofHistogram = (name: string) => [`${name}_bucket`, `${name}_sum`, `${name}_count`];
  return new Set(['up', ...described.flatMap(({ name, kind }) => (kind === 'histogram' ? ofHistogram(name) : [name]))]);
}

describe.each([...alerts.map(({ alert, expr }) => [alert, expr] as const), ...queries])('%s', (name, expression) => {
  const expr = expression.replaceAll('$__rate_interval', '5m').replaceAll('$namespace', 'shots');

  it(`${name} uses metrics that the processes serve`, async () => {
    const metrics = metricsOf(expr);
    expect(metrics).not.toEqual([]);
    const served = await known();
    expect(metrics.filter((metric) => !served.has(metric))).toEqual([]);
  });

  it(`${name} selects the targets of one release or one namespace`, () => {
    const selectors = [...expr.matchAll(/[a-z_]+\{([^}]*)\}/g)].map((match) => match[1] ?? '');
    expect(selectors).not.toEqual([]);
    for (const selector of selectors) expect(selector).toContain('namespace="shots"');
  });
});

test('alerts and panels select only by labels that the metrics have', async () => {
  const described = await createMetrics().describe();
  const labels = new Map(described.map(({ name, labels: own }) => [name, own]));
  /** Prometheus adds these labels; the ServiceMonitor adds the last one. */
  const ofTargets = ['namespace', 'service', 'pod', 'le', 'component'];
  const expressions = [...alerts.map(({ expr }) => expr), ...queries.map(([, expr]) => expr)];
  for (const expr of expressions)
    for (const [, metric = '', selector = ''] of expr.matchAll(/(tearsheet_[a-z0-9_]+)\{([^}]*)\}/g)) {
      const own = labels.get(metric) ?? labels.get(metric.replace(/_(bucket|sum|count)$/, '')) ?? [];
      const used = [...selector.matchAll(/([a-z]+)\s*(?:=~|!~|!=|=)/g)].map((match) => match[1] ?? '');
      expect([...own, ...ofTargets], metric).toEqual(expect.arrayContaining(used));
    }
});

describe('runbooks', () => {
  const page = readFileSync(path.join(ROOT, 'docs/runbooks.md'), 'utf8');
  const sections = [...page.matchAll(/^## (Tearsheet\w+)$/gm)].map(([, name]) => name);

  it('each alert has a section in docs/runbooks.md, and each section an alert', () => {
    expect(sections.sort()).toEqual(alerts.map(({ alert }) => alert).sort());
  });

  it('panels name runbooks that exist', () => {
    const named = panels.flatMap(({ description }) =>
      [...description.matchAll(/Runbook: (\w+)/g)].map((match) => match[1]),
    );
    expect(named).not.toEqual([]);
    expect(named.filter((name) => !sections.includes(name))).toEqual([]);
  });
});

test('an objective is the upper limit of a bucket, because its alerts count the samples of that bucket', () => {
  const schema = JSON.parse(readFileSync(path.join(ROOT, 'charts/tearsheet/values.schema.json'), 'utf8'));
  const { objectives } = schema.properties.monitoring.properties.prometheusRule.properties;
  for (const name of ['firstPictureSeconds', 'settledSeconds'])
    expect(objectives.properties[name].enum).toEqual(MILESTONE_BUCKETS);
});

test('each alert has a severity, a summary and a description', () => {
  for (const { labels, annotations } of alerts) {
    expect(['critical', 'warning']).toContain(labels.severity);
    expect(annotations.summary).toMatch(/\.$/);
    expect(annotations.description).toMatch(/\.$/);
  }
});
