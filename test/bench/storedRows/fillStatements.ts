/** Statements that fill a database from `bench.sets`. They insert all rows of a table at once. */

/** A record with six candidates, as captures of a page with that many slots store it. */
const CANDIDATE = (
  key: string,
) => `jsonb_build_object('element', '#content > div.' || left(md5(${key}), 12) || ' > ins',
  'box', jsonb_build_object('x', 312, 'y', 1240, 'width', 300, 'height', 250), 'size', '[300, 250]'::jsonb, 'score', 87,
  'evidence', '["gpt", "name", "standard size"]'::jsonb, 'reasons',
  '["The page declares the slot with GPT.", "The slot has the size of the ad.", "The slot is on the first screens."]'::jsonb)`;
const RECORD = `jsonb_build_object('kind', 'placement_preview', 'captured_at', now(), 'requested_url', 'https://news.example/',
  'final_url', 'https://news.example/', 'device', 'desktop', 'viewport', '{"width": 1440, "height": 900}'::jsonb, 'ratio', 1,
  'marker', null, 'ad_size', '[300, 250]'::jsonb, 'slot', ${CANDIDATE('n::text')}, 'score', 87, 'candidates', (
    select jsonb_agg(${CANDIDATE("n || ' ' || c")}) from generate_series(1, 6) c), 'candidates_found', 6, 'scale', 1,
  'ad_box', '{"x": 312, "y": 300, "width": 300, "height": 250}'::jsonb, 'page_mode', 'composed', 'creative_mode', 'still',
  'browser_version', '156.0.8078.79', 'sha256', encode(sha256(n::text::bytea), 'hex'),
  'options', '{}'::jsonb, 'warnings', '[]'::jsonb, 'reason', null)`;

export const SETS = [
  // PostgreSQL compresses these once, and copies them compressed.
  `create unlogged table bench.records as select n, ${RECORD} as record from generate_series(0, 499) n`,
  `insert into campaigns (id, organization_id, name, created_at, active_at)
    select campaign, organization, 'Campaign ' || min(i) || ' ' || case when bool_or(rare and kind = 6) then 'autumn' else 'spring' end,
      min(at), max(at) from sets group by campaign, organization`,
  `insert into ads (id, organization_id, campaign_id, lookup_key, name, kind, content, status, category, width, height,
      preview_token, source, created_at, captured_at, upload_id)
    select first_ad, organization, campaign, 'key-' || i, 'Banner ' || i || case when rare and kind = 7 then ' winter' else '' end,
      case when kind = 1 then 'upload' else 'url' end,
      case when kind = 1 then uid('upload ' || i)::text else 'https://cdn.example/creatives/' || i || '/index.html' end,
      case when rare and kind = 0 then 'not_found' when rare and kind = 2 then 'pending' else 'uploaded' end,
      'display', 300, 250, token('frame 1 ' || i), case when kind < 3 then 'create_ad' else 'screenshot_request' end, at,
      at + interval '10 seconds', case when kind = 1 then uid('upload ' || i) end
    from sets`,
  `insert into screenshot_sets (id, organization_id, campaign_id, status, created_at, settled_at, approved_at, original_id, retake_of)
    select id, organization, campaign, status, at,
      case when status not in ('draft', 'capturing') then at + interval '2 minutes' end,
      case when status = 'approved' then at + interval '3 minutes' end,
      case when rare and kind = 6 then uid('set ' || i + 10) end, case when rare and kind = 6 then uid('set ' || i + 10) end
    from sets`,
];

/** One ad on five sites, and another one on the same. */
const SHOTS = `sets s, generate_series(0, 9) k, lateral (select case when k % 5 = 0 then 'https://news.example/'
  when k % 5 = 1 and s.rare and s.kind = 5 then 'https://rare.example/'
  else 'https://site' || (s.i * 7 + k % 5) % 3000 || '.example/section/' || k % 5 end) as t(site)`;

export const PICTURES = [
  `insert into screenshots (id, set_id, seq, ad_id, site_url, site_key, device, status, reason, image_token, captured_at, record,
      job_index, decision)
    select uid('shot ' || s.i || ' ' || k), s.id, k, case when k < 5 then first_ad else second_ad end, site, site,
      case when k % 5 = 2 and s.rare and s.kind = 4 then 'ipad' when k % 2 = 0 then 'desktop' else 'mobile' end,
      case when s.status = 'draft' then 'pending' when s.status = 'failed' or (k = 9 and s.i % 2 = 0) then 'no_slots'
        else 'uploaded' end,
      case when s.status = 'failed' or (k = 9 and s.i % 2 = 0) then 'The page has no slot of this size.' end,
      case when s.status not in ('draft', 'failed') and not (k = 9 and s.i % 2 = 0) then token('shot ' || s.i || ' ' || k) end,
      case when s.status <> 'draft' then s.at + interval '1 minute' end, case when s.status <> 'draft' then r.record end, k % 5,
      case when s.kind = 4 and s.status = 'approved' then 'approved' end
    from ${SHOTS}, bench.records r where r.n = (s.i + k) % 500`,
  // The words that the trigger of migration 0013 would find, which takes longer.
  `insert into set_search (set_id, words)
    select s.id, array_to_tsvector(array[':org:' || s.organization, ':id:' || s.id, ':id:' || first_ad, ':id:' || second_ad,
        'campaign', 'banner', 'key', 'news', 'example', 'section', ':site:news.example', ':device:desktop', ':device:mobile']
      || string_to_array(lower(c.name), ' ') || string_to_array(lower(a.name), ' ') || string_to_array(lower(b.name), ' ') || t.sites)
    from sets s join campaigns c on c.id = s.campaign join ads a on a.id = first_ad join ads b on b.id = second_ad,
      lateral (select array_agg(w) as sites from ${SHOTS.replace('sets s, ', '')},
        unnest(array[':site:' || host_of(site), split_part(host_of(site), '.', 1), case when k % 5 > 0 and site not like '%rare%' then (k % 5)::text end,
          case when k % 5 = 2 and s.rare and s.kind = 4 then ':device:ipad' end]) w where w is not null) t`,
];

const IMAGE = `(token, organization_id, artifact_key, width, height, bytes, sha256, created_at)`;
const RECEIVER = `'https://hooks.example/tearsheet'`;
const TOPIC = `case when s.status = 'failed' then 'screenshot_set.failed' else 'screenshot_set.approved' end`;
const BODY = `'{"id":"evt_' || s.id || '","type":"event","topic":"screenshot_set.approved","data":{"object":{"type":"screenshot_set","id":"'
  || s.id || '","status":"approved","screenshots":[' || repeat('{"type":"screenshot","status":"uploaded","site":{"url":"https://news.example/"},'
  || '"device":{"name":"desktop"},"image":{"url":"https://tearsheet.example/i/' || token('x' || s.i) || '","width":1440}},', 10) || '{}]}}}'`;

export const CONTENT = [
  `insert into images ${IMAGE}
    select token('shot ' || s.i || ' ' || k), s.organization, 'jobs/' || s.job || '/screenshots/' || uid('shot ' || s.i || ' ' || k)
      || '-1-' || encode(sha256((s.i || ' ' || k)::bytea), 'hex') || '.png', 1440, 900, 480000,
      encode(sha256((s.i || ' ' || k)::bytea), 'hex'), s.at
    from sets s, generate_series(0, 9) k where s.status not in ('draft', 'failed') and not (k = 9 and s.i % 2 = 0)`,
  `insert into images ${IMAGE}
    select token('frame ' || k || ' ' || s.i), s.organization, 'jobs/' || s.job || '/frames/' || uid('frame ' || k || s.i) || '.png',
      300, 250, 60000, encode(sha256((s.i || ' ' || k)::bytea), 'hex'), s.at
    from sets s, generate_series(1, 2) k`,
  `insert into screenshot_jobs (id, name, organization_id, set_id, indexes, parallelism, admitted_at, deadline_at, settled_at, outcome,
      launched_at, small)
    select job, 'set-' || id, organization, id, 5, 2, at, at + interval '1 hour',
      case when status <> 'capturing' then at + interval '2 minutes' end, case when status <> 'capturing' then 'complete' end, at, false
    from sets where status <> 'draft'`,
  `insert into job_indexes (job_id, index, attempt, pod, started_at, finished_at)
    select job, k, 1, 'pod-' || i || '-' || k, at, at + interval '1 minute' from sets, generate_series(0, 4) k
    where status <> 'draft'`,
  `insert into job_creatives (job_id, ad_id, wanted, status, format, mode, width, height, resolved_at)
    select job, case when k = 1 then first_ad else second_ad end, '[{"marker_ms": null, "ratio": 1}]', 'rendered', 'image', 'still',
      300, 250, at from sets, generate_series(1, 2) k where status <> 'draft'`,
  `insert into creative_frames (job_id, ad_id, marker_ms, ratio, image_token)
    select job, case when k = 1 then first_ad else second_ad end, -1, 1, token('frame ' || k || ' ' || i)
    from sets, generate_series(1, 2) k where status <> 'draft'`,
  `insert into uploads (id, organization_id, name, format, content_type, bytes, sha256, created_at, expires_at)
    select uid('upload ' || i), organization, 'banner-' || i || '.zip', 'html5', 'application/zip', 90000,
      encode(sha256(i::text::bytea), 'hex'), at, case when rare then now() + interval '20 days' end from sets where kind < 2`,
  `insert into subscribers (id, organization_id, set_id, seq, webhook_url, s3_bucket, s3_region, s3_key_prefix)
    select uid('subscriber ' || i), organization, id, 0, ${RECEIVER}, case when rare and kind = 7 then 'pictures' end,
      case when rare and kind = 7 then 'eu-central-1' end, case when rare and kind = 7 then 'tearsheet/' end from sets`,
  `insert into subscribers (id, organization_id, seq, webhook_url, webhook_topics)
    select uid('endpoint ' || organization), organization, 0, 'https://hooks.example/all', '{screenshot_set.approved,screenshot_set.failed}'
    from sets group by organization`,
  `insert into webhook_endpoints (id, organization_id, secret)
    select uid('endpoint ' || organization), organization, 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' from sets group by organization`,
  `insert into events (id, organization_id, topic, body, created_at)
    select uid('event ' || i), organization, ${TOPIC}, ${BODY}, at + interval '2 minutes' from sets s
    where s.status not in ('draft', 'capturing')`,
  `insert into events (id, organization_id, topic, body, created_at)
    select uid('ad event ' || i), organization, case when s.status = 'rejected' then 'ad.failed' else 'ad.uploaded' end,
      ${BODY}, at + interval '1 minute' from sets s where kind < 3`,
  // One to the subscriber of each set, one to the endpoint, and some to a bucket.
  `insert into deliveries (id, organization_id, event_id, subscriber_id, set_id, channel, target, status, attempts, tries, next_attempt_at,
      created_at, finished_at)
    select uid('delivery ' || k || ' ' || s.i), organization, uid('event ' || s.i),
      case when k = 2 then uid('endpoint ' || organization) else uid('subscriber ' || s.i) end, id,
      case when k = 3 then 's3' else 'webhook' end,
      case k when 1 then ${RECEIVER} when 2 then 'https://hooks.example/all' else 's3://pictures/tearsheet/' end,
      case when rare and kind = 5 and k = 1 then 'pending' when rare and kind = 6 and k = 1 then 'retries_exhausted' else 'delivered' end,
      1, 1, case when rare and kind = 5 and k = 1 then now() + interval '1 day' end, at + interval '2 minutes',
      case when rare and kind = 5 and k = 1 then null else at + interval '3 minutes' end
    from sets s, generate_series(1, 3) k
    where s.status not in ('draft', 'capturing') and (k < 3 or rare and kind = 7)`,
  `insert into deliveries (id, organization_id, event_id, subscriber_id, ad_id, channel, target, status, attempts, tries, created_at, finished_at)
    select uid('ad delivery ' || i), organization, uid('ad event ' || i), uid('endpoint ' || organization), first_ad, 'webhook',
      'https://hooks.example/all', 'delivered', 1, 1, at + interval '1 minute', at + interval '1 minute' from sets s where kind < 3`,
  `insert into delivery_attempts (delivery_id, attempt, started_at, duration_ms, status_code, outcome, response_snippet)
    select id, 1, created_at, 120, 200, 'delivered', 'ok' from deliveries`,
  `insert into audit_log (id, organization_id, created_at, actor_type, actor_name, action, object_type, object_id, address, request_id)
    select uid('audit ' || i), organization, at, case when rare and kind = 3 then 'operator' else 'api_key' end, 'key',
      case when rare and kind = 4 then 'branding.updated' else 'share_link.created' end, 'share_link', id, '192.0.2.7', id::text from sets`,
  `insert into reviews (set_id, screenshot_id, decision, created_at)
    select id, case when k >= 0 then uid('shot ' || i || ' ' || k) end, 'approved', at + interval '1 hour'
    from sets, generate_series(-1, 9) k where kind = 4 and status = 'approved'`,
  `insert into share_links (id, organization_id, set_id, created_at, expires_at)
    select uid('link ' || i), organization, id, at, now() + interval '30 days' from sets where kind in (0, 5)`,
  `insert into exports (id, organization_id, set_id, token, format, options, fingerprint, status, attempt, done, total, parts, file_name,
      artifact_key, bytes, sha256, created_at, finished_at, expires_at)
    select uid('export ' || i), organization, id, token('export ' || i), 'pdf', '{}', 'f' || i, 'ready', 1, 10, 10, 1, 'set.pdf',
      'exports/' || i, 5000000, repeat('a', 64), at, at, now() + interval '2 days' from sets where kind = 5`,
  `insert into usage_days (organization_id, day, pictures)
    select organization, (at at time zone 'utc')::date, count(*) * 10 from sets group by 1, 2`,
  `insert into idempotency_keys (organization_id, endpoint, key, body_sha256, status_code, response, created_at)
    select organization, 'screenshot_requests', 'key ' || i, sha256(i::text::bytea), 202, ${BODY}, at from sets s where kind = 3`,
];
