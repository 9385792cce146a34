/** `make check` on the chart, where Helm is at hand: lint, and every manifest of the examples against Kubernetes' own schemas. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { clusterFolder, knownTool, runTool } from './tools.ts';

const ROOT = path.join(import.meta.dirname, '..');
const CHART = path.join(ROOT, 'charts/tearsheet');
const SCHEMAS = path.join(clusterFolder(), 'schemas');
/** A Helm that was built without one thinks of an old Kubernetes. */
const KUBERNETES = ['--kube-version', '1.34.0'];
const EXAMPLES = ['values-trial.yaml', 'values-production.yaml'];
/** Objects beside the chart. */
const MANIFESTS = ['placeholders-hpa.yaml', 'placeholders-keda.yaml'];
/** Kinds that come with other projects; tests hold what the chart says in them. */
const OF_OTHERS = 'CustomResourceDefinition,ServiceMonitor,PrometheusRule,HTTPRoute,ScaledObject';

const helm = knownTool('helm');
if (helm === undefined) {
  console.log('Helm is not here: the chart is not linted. `test/cluster/cluster tools` builds it.');
} else {
  for (const example of EXAMPLES) await check(helm, path.join(ROOT, 'examples', example));
  for (const example of MANIFESTS) {
    const file = path.join(ROOT, 'examples', example);
    await judge(file, readFileSync(file, 'utf8'));
  }
}

async function check(program: string, values: string): Promise<void> {
  const lint = await runTool(program, ['lint', '--strict', CHART, '-f', values, ...KUBERNETES]);
  if (lint.code !== 0) return fail(values, lint.stdout + lint.stderr);
  const rendered = await runTool(program, ['template', 't', CHART, '-f', values, ...KUBERNETES]);
  if (rendered.code !== 0) return fail(values, rendered.stderr);
  await judge(values, rendered.stdout);
}

async function judge(file: string, manifests: string): Promise<void> {
  const kubeconform = knownTool('kubeconform');
  if (kubeconform === undefined || !existsSync(SCHEMAS)) return;
  const schemas = ['-schema-location', `${SCHEMAS}/{{.ResourceKind}}{{.KindSuffix}}.json`];
  const judged = await runTool(kubeconform, ['-strict', '-skip', OF_OTHERS, ...schemas, '-'], {
    input: manifests,
  });
  if (judged.code !== 0) fail(file, judged.stdout + judged.stderr);
}

function fail(file: string, said: string): void {
  console.error(`${path.relative(ROOT, file)}: ${said.trim()}`);
  process.exitCode = 1;
}
