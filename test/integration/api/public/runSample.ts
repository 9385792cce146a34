/** Runs a sample request of the reference in a shell. */
import { execFile } from 'node:child_process';
import type { TestApi } from '../../../support/publicApi.ts';
import type { SampleIds } from './sampleIds.ts';

interface Ran {
  readonly status: number;
  readonly body: string;
}

/** Curl with the status of the answer as its last line. */
const CURL = 'curl() { command curl --silent --show-error --max-time 120 --write-out "\\n%{http_code}" "$@"; }';

export function runSample(api: TestApi, command: string, ids: SampleIds): Promise<Ran> {
  const { api_key: KEY } = api.organization;
  const env = { PATH: process.env['PATH'] ?? '', TEARSHEET: api.url, ORGANIZATION: 'acme', KEY, ...ids };
  return new Promise((resolve, reject) => {
    execFile('sh', ['-u', '-c', `${CURL}\n${command}`], { env, timeout: 150_000 }, (error, stdout, stderr) => {
      if (error !== null) reject(new Error(`The sample failed: ${stderr || error.message}`));
      const end = stdout.lastIndexOf('\n');
      resolve({ status: Number(stdout.slice(end + 1)), body: stdout.slice(0, end) });
    });
  });
}
