import { stringify } from 'yaml';
import { type ChartValue, readChartValues } from './chartValues.ts';

const HEAD = `# The chart

Installs Tearsheet into one namespace: API, controller, the definition of ScreenshotJob, and all that an operator expects beside
them. How to install, upgrade, size, back up, monitor and remove it: [docs/operations.md](../../docs/operations.md).

    helm install t charts/tearsheet -f examples/values-trial.yaml      # everything in one namespace, to try it
    helm install tearsheet charts/tearsheet -f examples/values-production.yaml

Kubernetes 1.33 or newer; all pods pass Pod Security *restricted*. This page is generated from \`values.yaml\`.

## What it may do

| account | right | why |
|---|---|---|
| api | create \`tokenreviews\` (cluster) | whose token a capture shows |
| controller | \`screenshotjobs\` get, list, watch, create, patch, delete; \`/status\` patch; \`/finalizers\` update | its resource |
| controller | \`jobs\` get, list, watch, create, patch, delete | one for each ScreenshotJob; more pods when places are free |
| controller | \`pods\` list, watch | why they do not start or run |
| controller | \`events\` create, list | tells transitions; reads what a quota or a missing volume leaves |
| controller | \`leases\` create; get, update by name | leadership |
| controller | \`configmaps\` get, by name | its uid makes the ConfigMap the owner of the Lease |
| controller | \`nodes\` list, watch (cluster; \`rbac.nodes\`) | tells a lost node at once |
| capture | none, and no token of the cluster's API | it meets the web |

The pre-delete hook works with the controller's account.
`;

/** charts/tearsheet/README.md, from values.yaml. */
export function generateChartReadme(): string {
  const values = readChartValues();
  const sections = [...new Set(values.map((value) => value.section))];
  const parts = sections.map((section) => {
    const rows = values.filter((value) => value.section === section).flatMap((value) => leaves(value, ''));
    return `## ${section}\n\n| value | default | meaning |\n|---|---|---|\n${rows.join('')}`;
  });
  return [HEAD, ...parts].join('\n');
}

function leaves(value: ChartValue, prefix: string): string[] {
  const path = prefix + value.name;
  if (value.inner.length > 0) return value.inner.flatMap((inner) => leaves(inner, `${path}.`));
  return [`| \`${path}\` | \`${inline(value.fallback)}\` | ${value.description.replaceAll('|', '\\|')} |\n`];
}

function inline(value: unknown): string {
  return typeof value === 'object'
    ? stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trim()
    : JSON.stringify(value);
}
