/** Runs the samples of docs/webhooks.md with real signatures, in each language that this machine has. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type SignatureHeaders, signatureHeaders } from '../../../src/core/webhooks/webhook.ts';

const TEXT = readFileSync(new URL('../../../docs/webhooks.md', import.meta.url), 'utf8');
const SECRETS = ['bmV3LXNlY3JldC1uZXctc2VjcmV0', 'b2xkLXNlY3JldC1vbGQtc2VjcmV0'].map((key) => `whsec_${key}`);
const BODY = JSON.stringify({ id: 'evt_1', topic: 'ad.uploaded', text: 'Grüße — 300×250' });

interface Language {
  readonly name: string;
  readonly file: string;
  readonly command: readonly string[];
  /** Exits with 0 if the message in the file `message.json` (`secret`, `headers`, `body`) is accepted, otherwise with 3. */
  readonly main: string;
  readonly mainFile?: string;
}

const LANGUAGES: readonly Language[] = [
  {
    name: 'js',
    file: 'verify.mjs',
    command: [process.execPath, 'verify.mjs'],
    main: `import { readFileSync } from 'node:fs';
const { secret, headers, body } = JSON.parse(readFileSync('message.json', 'utf8'));
try { verify(secret, headers, Buffer.from(body)); } catch { process.exit(3); }`,
  },
  {
    name: 'python',
    file: 'verify.py',
    command: ['python3', 'verify.py'],
    main: `import sys
with open("message.json", encoding="utf-8") as file:
    message = json.load(file)
try:
    verify(message["secret"], message["headers"], message["body"].encode())
except ValueError:
    sys.exit(3)`,
  },
  {
    name: 'go',
    file: 'webhook.go',
    command: ['go', 'test', '-count=1', '.'],
    mainFile: 'webhook_test.go',
    main: `package webhook
import ("encoding/json"; "net/http"; "os"; "testing")
func TestVerify(t *testing.T) {
  data, _ := os.ReadFile("message.json")
  var message struct { Secret, Body string; Headers map[string]string }
  if err := json.Unmarshal(data, &message); err != nil { t.Fatal(err) }
  header := http.Header{}
  for name, value := range message.Headers { header.Set(name, value) }
  if err := Verify(message.Secret, header, []byte(message.Body)); err != nil { os.Exit(3) }
}`,
  },
  {
    name: 'php',
    file: 'verify.php',
    command: ['php', 'verify.php'],
    main: `$message = json_decode(file_get_contents('message.json'), true);
try { verify($message['secret'], $message['headers'], $message['body']); } catch (RuntimeException $e) { exit(3); }`,
  },
];

const isThere = ({ command: [program = ''] }: Language) =>
  spawnSync(program, [program === 'go' ? 'version' : '--version']).status === 0;

interface Message {
  readonly secret: string;
  readonly headers: SignatureHeaders;
  readonly body: string;
}

const message = (at: Date, secrets = SECRETS): Message => ({
  secret: SECRETS[0] ?? '',
  headers: signatureHeaders({ eventId: 'evt_1', at, payload: BODY, secrets }),
  body: BODY,
});

test('the page has a sample for each language', () => {
  for (const { name } of LANGUAGES) expect(TEXT).toContain(`\n\`\`\`${name}\n`);
});

describe.each(LANGUAGES.map((language) => ({ ...language, language })))('the sample in $name', ({ language }) => {
  const { name, file, command, main, mainFile } = language;
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'tearsheet-sample-'));
    const sample = new RegExp(`\n\`\`\`${name}\n(.*?)\n\`\`\`\n`, 's').exec(TEXT)?.[1] ?? '';
    writeFileSync(path.join(folder, file), mainFile === undefined ? `${sample}\n${main}\n` : sample);
    if (mainFile !== undefined) writeFileSync(path.join(folder, mainFile), main);
    if (name === 'go') writeFileSync(path.join(folder, 'go.mod'), 'module webhook\n\ngo 1.21\n');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const accepts = (given: Message): boolean => {
    writeFileSync(path.join(folder, 'message.json'), JSON.stringify(given));
    const [program = '', ...args] = command;
    const { status, stderr, stdout } = spawnSync(program, args, { cwd: folder, encoding: 'utf8', timeout: 120_000 });
    // "go test" exits with 1 whatever the code of the test is.
    const isRefusal = status === 3 || (name === 'go' && /exit status 3/.test(stdout));
    if (status !== 0 && !isRefusal) throw new Error(`The sample failed: ${stderr}${stdout}`);
    return status === 0;
  };

  test.skipIf(!isThere(language))('accepts signed messages only', { timeout: 900_000 }, () => {
    const now = new Date();
    expect(accepts(message(now))).toBe(true);
    expect(accepts(message(now, SECRETS.toReversed()))).toBe(true);
    expect(accepts(message(now, SECRETS.slice(1)))).toBe(false);
    expect(accepts({ ...message(now), body: BODY.replace('evt_1', 'evt_2') })).toBe(false);
    expect(accepts(message(new Date(now.getTime() - 10 * 60_000)))).toBe(false);
  });
});
