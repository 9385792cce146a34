/** Fills a migrated database with the rows of many settled sets, with SQL only. One organization has all of them. */
import { createHash } from 'node:crypto';
import type pg from 'pg';

export interface Extent {
  readonly sets: number;
  readonly screenshotsPerSet: number;
  /** Sets of one campaign, and as many ads. */
  readonly setsPerCampaign: number;
  /** Sets and ads have the metadata `team`, which is the same for all, and `order`, which is their number. */
  readonly metadata?: boolean;
}

const SITES = 3_000;
/** Sets are one second apart, so that a filter by time finds as many as there are seconds. */
const AGE = `now() - i * interval '1 second'`;
const id = (letter: string, number = 'i') => `md5('${letter}' || ${number})::uuid`;

/** @returns the id of a stored row: `s` and the number of a set, or `p` and the numbers of a set and its screenshot. */
export function storedId(letter: string, number: number | string): string {
  const hash = createHash('md5').update(`${letter}${number}`).digest('hex');
  return hash.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/**
 * Stores the rows, and makes the statistics and the visibility map, as autovacuum does in the end. The statistics cover every row
 * of tables with up to 60,000 rows, so that the plans of tests do not depend on a random sample.
 */
export async function fillDatabase(pool: pg.Pool, organizationId: string, extent: Extent): Promise<void> {
  const client = await pool.connect();
  try {
    // Without triggers and checks of foreign keys, which take most of the time.
    await client.query(`set session_replication_role = replica; set statement_timeout = 0;
      set work_mem = 256000; set maintenance_work_mem = 512000`);
    for (const statement of statementsOf(organizationId, extent)) await client.query(statement);
    await client.query('set default_statistics_target = 200');
    await client.query('vacuum (analyze)');
  } finally {
    // Closes the connection, which ends its settings.
    client.release(true);
  }
}

function statementsOf(
  organizationId: string,
  { sets, screenshotsPerSet, setsPerCampaign, metadata = false }: Extent,
): string[] {
  const org = `'${organizationId}'::uuid`;
  const campaigns = Math.ceil(sets / setsPerCampaign);
  const campaign = id('c', `(i % ${campaigns})`);
  const stored = metadata ? `jsonb_build_object('team', 'all', 'order', i::text)` : `'{}'`;
  const eachSet = `generate_series(0, ${sets - 1}) i`;
  const eachScreenshot = `${eachSet}, generate_series(0, ${screenshotsPerSet - 1}) k`;
  return [
    `insert into campaigns (id, organization_id, name, created_at, active_at)
      select ${id('c')}, ${org}, 'Campaign ' || i || ' ' || (array['spring', 'summer'])[1 + i % 2],
        now() - i * interval '1 hour', now() - i * interval '1 minute' from generate_series(0, ${campaigns - 1}) i`,
    `insert into ads (id, organization_id, campaign_id, name, lookup_key, kind, content, status, source, category,
        width, height, preview_token, metadata, created_at, captured_at)
      select ${id('a')}, ${org}, ${campaign}, 'Banner ' || i || ' concept ' || (array['north', 'south', 'east', 'west'])[1 + i % 4] || i % 200, 'key-' || i, 'url', 'https://cdn.example/' || i || '.png',
        case when i % 500 = 7 then 'not_found' else 'uploaded' end, 'screenshot_request', 'display', 300, 250,
        'frame-' || i, ${stored}, ${AGE}, ${AGE} from ${eachSet}`,
    `insert into screenshot_sets (id, organization_id, campaign_id, status, metadata, created_at, settled_at, approved_at)
      select ${id('s')}, ${org}, ${campaign}, case when i % 200 = 7 then 'in_review' else 'approved' end, ${stored}, ${AGE}, ${AGE},
        case when i % 200 <> 7 then ${AGE} end from ${eachSet}`,
    `insert into images (token, organization_id, artifact_key, width, height, bytes, sha256, created_at)
      select 'picture-' || i || '-' || k, ${org}, 'sets/' || i || '/' || k || '.png', 1280, 720, 500000,
        md5('h' || i) || md5('k' || k), ${AGE} from ${eachScreenshot}
      union all
      select 'frame-' || i, ${org}, 'frames/' || i || '.png', 300, 250, 50000, md5('f' || i) || md5('g' || i), ${AGE}
      from ${eachSet}`,
    `insert into screenshots (id, set_id, seq, ad_id, site_url, site_key, device, status, reason, image_token, captured_at,
        job_index, record)
      select ${id('p', `i || '-' || k`)}, ${id('s')}, k, ${id('a')}, site, site, (array['desktop', 'mobile'])[1 + k % 2],
        case when failed then 'no_slots' else 'uploaded' end, case when failed then 'The page has no slot for this ad.' end,
        case when not failed then 'picture-' || i || '-' || k end, ${AGE}, k,
        jsonb_build_object('final_url', site, 'ratio', 1, 'device', 'desktop', 'browser', 'Chromium 156.0.8078.79',
          'slot', jsonb_build_object('x', 10, 'y', 200, 'width', 300, 'height', 250, 'evidence', 'gpt', 'score', 90))
      from ${eachScreenshot}, lateral (select 'https://site' || ((i * 7 + k) % ${SITES}) || '.example/' as site,
        (i * 11 + k) % 50 = 0 as failed) t`,
    `insert into set_search (set_id, words)
      select ${id('s')}, array_to_tsvector(array[':org:' || ${org}, ':id:' || ${id('s')}, ':device:desktop',
        ':device:mobile', 'campaign', 'c' || i % ${campaigns}, 'banner', 'b' || i, 'key', 'example']
        || array(select v || ((i * 7 + k) % ${SITES}) || w from generate_series(0, ${screenshotsPerSet - 1}) k,
          (values (':site:site', '.example'), ('site', '')) t(v, w)))
      from ${eachSet}`,
    `insert into subscribers (id, organization_id, set_id, seq, webhook_url)
      select ${id('u')}, ${org}, ${id('s')}, 0, 'https://hooks.example/tearsheet' from ${eachSet}`,
    `insert into screenshot_jobs (id, name, organization_id, set_id, indexes, parallelism, admitted_at, deadline_at,
        settled_at, launched_at, outcome)
      select ${id('j')}, 'set-' || ${id('s')}, ${org}, ${id('s')}, ${screenshotsPerSet}, 5, ${AGE}, ${AGE}, ${AGE}, ${AGE},
        'approved' from ${eachSet}`,
    `insert into job_indexes (job_id, index, attempt, started_at, finished_at)
      select ${id('j')}, k, 1, ${AGE}, ${AGE} from ${eachScreenshot}`,
    `insert into job_creatives (job_id, ad_id, wanted, status, width, height, resolved_at)
      select ${id('j')}, ${id('a')}, '[{"marker_ms": null, "ratio": 1}]', 'rendered', 300, 250, ${AGE} from ${eachSet}`,
    `insert into creative_frames (job_id, ad_id, marker_ms, ratio, image_token)
      select ${id('j')}, ${id('a')}, -1, 1, 'frame-' || i from ${eachSet}`,
    // Three events of each set: progress, the ad, the approval. One in a hundred deliveries did not arrive.
    `insert into events (id, organization_id, topic, body, created_at)
      select ${id('e', `i || '-' || k`)}, ${org},
        (array['screenshot_set.progress', 'ad.uploaded', 'screenshot_set.approved'])[1 + k], repeat('{"data":"x"}', 40), ${AGE}
      from ${eachSet}, generate_series(0, 2) k`,
    `insert into deliveries (id, organization_id, event_id, subscriber_id, set_id, channel, target, status, attempts, tries,
        created_at, finished_at)
      select ${id('d', `i || '-' || k`)}, ${org}, ${id('e', `i || '-' || k`)}, ${id('u')}, ${id('s')}, 'webhook',
        'https://hooks.example/tearsheet', case when (i * 3 + k) % 100 = 0 then 'retries_exhausted' else 'delivered' end, 1, 1,
        ${AGE}, ${AGE} from ${eachSet}, generate_series(0, 2) k`,
    `insert into delivery_attempts (delivery_id, attempt, started_at, duration_ms, status_code, outcome)
      select ${id('d', `i || '-' || k`)}, 1, ${AGE}, 20, 204, 'delivered' from ${eachSet}, generate_series(0, 2) k`,
    `insert into uploads (id, organization_id, name, format, content_type, bytes, sha256, created_at)
      select ${id('o')}, ${org}, 'banner-' || i || '.png', 'image', 'image/png', 50000, md5('x' || i) || md5('y' || i), ${AGE}
      from ${eachSet} where i % 10 = 0`,
    `insert into audit_log (organization_id, created_at, actor_type, action, object_type, object_id)
      select ${org}, ${AGE}, 'session', 'screenshot_set.approved', 'screenshot_set', ${id('s')} from ${eachSet}`,
    `insert into idempotency_keys (organization_id, endpoint, key, body_sha256, status_code, response, created_at)
      select ${org}, 'screenshot_requests', 'key-' || i, ''::bytea, 202, '{}', ${AGE} from ${eachSet} where i < 86400`,
  ];
}
