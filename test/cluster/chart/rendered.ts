import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { buildTool, type Ended, runTool } from '../../../scripts/tools.ts';

const ROOT = path.join(import.meta.dirname, '../../..');
export const CHART = path.join(ROOT, 'charts/tearsheet');
/** Our Helm build has no default Kubernetes version, so it would assume an old one. */
const KUBERNETES = ['--kube-version', '1.34.0'];

const RELEASE = 't';
export const NAMESPACE = 'shots';

/** The values that the chart requires. */
export const REQUIRED_VALUES = {
  publicUrl: 'https://tearsheet.example.com',
  database: { url: 'postgres://user:pass@db.example.com:6432/tearsheet' },
  artifacts: { url: 's3://pictures/here' },
};

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  // biome-ignore lint/suspicious/noExplicitAny: a manifest's content is what the test checks.
  readonly [part: string]: any;
}

export interface Values {
  readonly [name: string]: unknown;
}

/** Runs Helm with these values on top of an example's values. */
export async function helm(command: readonly string[], values: Values = {}, example?: string): Promise<Ended> {
  const program = await buildTool('helm');
  const files = [...(example === undefined ? [] : ['-f', path.join(ROOT, 'examples', example)]), '-f', '-'];
  return runTool(program, [...command, ...KUBERNETES, ...files], { input: JSON.stringify(values) });
}

interface Rendering extends Ended {
  readonly manifests: readonly Manifest[];
}

/** Helm takes most of a second, and many tests look at the same values, so each rendering is kept. */
const renderings = new Map<string, Promise<Rendering>>();

export function rendering(values: Values, example?: string): Promise<Rendering> {
  const key = JSON.stringify([values, example]);
  const known = renderings.get(key);
  if (known !== undefined) return known;
  const started = renderOnce(values, example);
  renderings.set(key, started);
  return started;
}

async function renderOnce(values: Values, example?: string): Promise<Rendering> {
  const ended = await helm(['template', RELEASE, CHART, '--namespace', NAMESPACE], values, example);
  const parsed = ended.code === 0 ? parseAllDocuments(ended.stdout) : [];
  const manifests = parsed.map((document) => document.toJS() as Manifest | null);
  return { ...ended, manifests: manifests.filter((manifest) => manifest !== null) };
}

/** @throws Error with Helm's message when Helm rejects the values. */
export async function render(values: Values = {}, example?: string): Promise<Rendered> {
  const given = example === undefined ? merged(REQUIRED_VALUES, values) : values;
  const { code, stderr, manifests } = await rendering(given, example);
  if (code !== 0) throw new Error(stderr);
  // A copy, so that no test changes what another test reads.
  return new Rendered(structuredClone(manifests));
}

export class Rendered {
  readonly all: readonly Manifest[];

  constructor(all: readonly Manifest[]) {
    this.all = all;
  }

  /**
   * @param name without the release's prefix and without a hash of the content; '' for the object that has the release's
   *   name.
   */
  find(kind: string, name: string): Manifest | undefined {
    const full = name === '' ? 't-tearsheet' : `t-tearsheet-${name}`;
    return this.all.find(({ kind: found, metadata }) => {
      const plain = metadata.name.replace(/-[0-9a-f]{10}$/, '');
      return found === kind && [full, `${NAMESPACE}:${full}`].includes(plain);
    });
  }

  get(kind: string, name: string): Manifest {
    const found = this.find(kind, name);
    if (found === undefined) throw new Error(`There is no ${kind} ${name} among ${this.names().join(', ')}`);
    return found;
  }

  names(): string[] {
    return this.all.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
  }

  /** The objects that create pods. */
  workloads(): readonly Manifest[] {
    return this.all.filter(({ kind }) => ['Deployment', 'StatefulSet', 'Job'].includes(kind));
  }

  settings(): Readonly<Record<string, string>> {
    return this.get('ConfigMap', 'settings')['data'];
  }
}

/** Merges nested objects; values of `other` win. */
export function merged(one: Values, other: Values): Values {
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries(
    [...keys].map((key) => {
      const [a, b] = [one[key], other[key]];
      if (isObject(a) && isObject(b)) return [key, merged(a, b)];
      return [key, key in other ? b : a];
    }),
  );
}

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
