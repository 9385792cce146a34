/** Evaluates the chart's alerts on the series of test/fixtures/alerts/cases.yaml with Prometheus's own promtool. */
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { buildTool, runTool } from '../../../scripts/tools.ts';
import { CHART, type Manifest, render } from './rendered.ts';

const CASES = path.join(import.meta.dirname, '../../fixtures/alerts/cases.yaml');
const Evaluation = z.object({ alertname: z.string(), exp_alerts: z.array(z.unknown()) });
const Target = z.object({ expr: z.string() });
const Dashboard = z.object({ panels: z.array(z.object({ targets: z.array(Target).default([]) })) });
const Cases = z.object({ tests: z.array(z.object({ alert_rule_test: z.array(Evaluation) })) });

let folder: string;
let promtool: string;
let rules: readonly Manifest[];

beforeAll(async () => {
  promtool = await buildTool('promtool');
  const rendered = await render({ monitoring: { prometheusRule: { enabled: true } } });
  const group = rendered.get('PrometheusRule', '')['spec'].groups[0];
  rules = group.rules;
  folder = mkdtempSync(path.join(tmpdir(), 'tearsheet-alerts-'));
  // Without annotations, so that a case needs to name only the labels of its alerts.
  const tested = rules.map(({ annotations: _, ...rule }) => rule);
  writeFileSync(path.join(folder, 'rules.yaml'), stringify({ groups: [{ ...group, rules: tested }] }));
  copyFileSync(CASES, path.join(folder, 'cases.yaml'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('each alert has a case in which it fires and a case in which it stays quiet', () => {
  const { tests } = Cases.parse(parse(readFileSync(CASES, 'utf8')));
  const outcomes = tests.flatMap(({ alert_rule_test: evaluations }) =>
    [...new Set(evaluations.map(({ alertname }) => alertname))].map((alert) => {
      const fires = evaluations.some((each) => each.alertname === alert && each.exp_alerts.length > 0);
      return `${alert} ${fires ? 'fires' : 'stays quiet'}`;
    }),
  );
  const wanted = rules.flatMap(({ alert }) => [`${alert} fires`, `${alert} stays quiet`]);
  expect([...new Set(outcomes)].sort()).toEqual(wanted.sort());
});

test('promtool accepts the queries of the dashboard', async () => {
  const { panels } = Dashboard.parse(JSON.parse(readFileSync(path.join(CHART, 'files/dashboard.json'), 'utf8')));
  const queries = panels.flatMap(({ targets }) => targets).map(({ expr }) => expr.replaceAll('$__rate_interval', '5m'));
  const recorded = queries.map((expr, index) => ({ record: `panel_${index}`, expr }));
  const file = path.join(folder, 'panels.yaml');
  writeFileSync(file, stringify({ groups: [{ name: 'dashboard', rules: recorded }] }));
  const { stdout, stderr } = await runTool(promtool, ['check', 'rules', file]);
  expect(`${stdout}${stderr}`).toContain(`SUCCESS: ${queries.length} rules found`);
});

test('promtool accepts the rules with their annotations', async () => {
  const file = path.join(folder, 'annotated.yaml');
  writeFileSync(file, stringify({ groups: [{ name: 'tearsheet', rules }] }));
  const { code, stdout, stderr } = await runTool(promtool, ['check', 'rules', file]);
  expect(`${stdout}${stderr}`).toContain(`SUCCESS: ${rules.length} rules found`);
  expect(code).toBe(0);
});

// promtool opens a database for each case: five seconds of one core, more on a busy machine.
test('promtool finds each alert firing or quiet as its case says', { timeout: 180_000 }, async () => {
  const args = ['test', 'rules', path.join(folder, 'cases.yaml')];
  const { code, stdout, stderr } = await runTool(promtool, args, { deadlineMs: 170_000 });
  expect(`${stdout}${stderr}`).toContain('SUCCESS');
  expect(code).toBe(0);
});
