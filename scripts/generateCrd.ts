/** The CustomResourceDefinition of ScreenshotJob, from its zod contract. */
import { stringify } from 'yaml';
import { z } from 'zod';
import { SCREENSHOT_JOB_NAME_LENGTH, ScreenshotJobSpec, ScreenshotJobStatus } from '../src/contract/screenshotJob.ts';

const NAME = 'screenshotjobs.tearsheet.dev';
const FILE_HEAD = '# Generated from src/contract/screenshotJob.ts by make generate.\n';
const TEMPLATE_HEAD = `{{- /* Generated from src/contract/screenshotJob.ts by make generate. */ -}}
{{- if and .Values.crds.install (not (include "tearsheet.definitionOfAnother" .)) }}
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: ${NAME}
  labels:
    {{- include "tearsheet.labels" . | nindent 4 }}
  {{- if .Values.crds.keep }}
  annotations:
    # Removing the definition would remove every ScreenshotJob of the cluster.
    helm.sh/resource-policy: keep
  {{- end }}
`;

interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly [keyword: string]: unknown;
}

/** The file in crds/, for operators who manage definitions apart from releases. */
export function generateCrd(): string {
  const head = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: NAME } };
  return FILE_HEAD + asYaml({ ...head, spec: definition() });
}

/** The same as a template of the chart: Helm installs the files of a chart's crds/ once, and never upgrades it. */
export function generateCrdTemplate(): string {
  return `${TEMPLATE_HEAD}${asYaml({ spec: definition() })}{{- end }}\n`;
}

function asYaml(value: unknown): string {
  return stringify(value, { lineWidth: 120, aliasDuplicateObjects: false });
}

function definition() {
  return {
    group: 'tearsheet.dev',
    scope: 'Namespaced',
    names: {
      kind: 'ScreenshotJob',
      listKind: 'ScreenshotJobList',
      plural: 'screenshotjobs',
      singular: 'screenshotjob',
      shortNames: ['shot'],
      categories: ['tearsheet'],
    },
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        additionalPrinterColumns: COLUMNS,
        selectableFields: ['.spec.set', '.spec.organization', '.status.reason'].map((jsonPath) => ({ jsonPath })),
        subresources: { status: {} },
        schema: { openAPIV3Schema: resource() },
      },
    ],
  };
}

const column = (name: string, type: string, jsonPath: string, description: string) => ({
  name,
  type,
  jsonPath,
  description,
});
/** Shown with -o wide only. */
const wide = (...given: Parameters<typeof column>) => ({ ...column(...given), priority: 1 });

const COLUMNS = [
  column('Status', 'string', '.status.reason', 'Where it stands.'),
  column('Done', 'string', '.status.progress', 'Done of total.'),
  column('Failed', 'integer', '.status.failed', 'Ended without a picture.'),
  column('Pods', 'integer', '.status.pods', 'Capture pods that run now.'),
  column('Age', 'date', '.metadata.creationTimestamp', 'Since its creation.'),
  wide('Organization', 'string', '.spec.organization', 'Whose request it is.'),
  wide('Set', 'string', '.spec.set', 'Id of the screenshot set.'),
  wide('Duration', 'string', '.status.duration', 'From start to completion.'),
  wide('Message', 'string', '.status.message', 'The reason in words, or how the job ended.'),
];

/** The status until a controller has reconciled, so that a resource always has one. */
const UNSEEN: ScreenshotJobStatus = { reason: 'Queued', total: 0, done: 0, failed: 0, pods: 0, conditions: [] };

function resource() {
  const status = structural(ScreenshotJobStatus);
  const conditions = { ...status.properties?.['conditions'], ...KEYED_BY_TYPE };
  return {
    type: 'object',
    description:
      'One job: the capture of one screenshot set, or of ads alone. PostgreSQL holds the work and its results. ' +
      'Tearsheet recreates a ScreenshotJob that is lost. Deleting a ScreenshotJob cancels its set.',
    required: ['spec'],
    properties: {
      apiVersion: { type: 'string', description: 'tearsheet.dev/v1alpha1.' },
      kind: { type: 'string', description: 'ScreenshotJob.' },
      metadata: {
        type: 'object',
        properties: { name: { type: 'string', maxLength: SCREENSHOT_JOB_NAME_LENGTH } },
      },
      spec: { ...structural(ScreenshotJobSpec), 'x-kubernetes-validations': specRules() },
      status: { ...status, default: UNSEEN, properties: { ...status.properties, conditions } },
    },
  };
}

const KEYED_BY_TYPE = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] };

/**
 * On spec as a whole: a rule on an optional field is not asked when the field is added or taken away. Every field is immutable
 * but cancel, also those that come later.
 */
function specRules() {
  const frozen = Object.entries(ScreenshotJobSpec.shape)
    .filter(([name]) => name !== 'cancel')
    .map(([name, field]) => ({
      rule: field.safeParse(undefined).success
        ? `has(self.${name}) == has(oldSelf.${name}) && (!has(self.${name}) || self.${name} == oldSelf.${name})`
        : `self.${name} == oldSelf.${name}`,
      message: `spec.${name} cannot be changed`,
      fieldPath: `.${name}`,
      reason: 'FieldValueForbidden',
    }));
  return [
    ...frozen,
    {
      rule: '!(has(oldSelf.cancel) && oldSelf.cancel) || (has(self.cancel) && self.cancel)',
      message: 'spec.cancel cannot be taken back',
      fieldPath: '.cancel',
      reason: 'FieldValueForbidden',
    },
  ];
}

function structural(schema: z.ZodType): Schema {
  return kubernetesForm(z.toJSONSchema(schema) as Schema);
}

/** Unknown fields are pruned by the API server, so a structural schema does not forbid them. */
function kubernetesForm({ $schema, additionalProperties, properties, items, ...rest }: Schema): Schema {
  return {
    ...rest,
    // The format is for clients in typed languages; only the bounds are enforced.
    ...(rest['maximum'] === 2 ** 31 - 1 && { format: 'int32' }),
    ...(items !== undefined && { items: kubernetesForm(items) }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, kubernetesForm(value)])),
    }),
  };
}
