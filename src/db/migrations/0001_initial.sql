-- Postgres is the truth: what was answered 201/202 is in these tables, and everything else can be made again from them.

create table installation (
  singleton boolean primary key default true check (singleton),
  -- Every object in a cluster bears this id; see the audit.
  id uuid not null default gen_random_uuid(),
  -- Incremented by each elected leader; settling transactions check it.
  epoch bigint not null default 0,
  -- Signs job tokens, upload addresses and share links.
  secret bytea not null
);

create table organizations (
  id uuid primary key,
  slug text not null unique check (slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
  review text not null default 'automatic' check (review in ('automatic', 'manual')),
  disabled_at timestamptz,
  webhook_secret text not null,
  -- Signs beside the current one for a day after a rotation.
  previous_webhook_secret text,
  webhook_secret_rotated_at timestamptz,
  created_at timestamptz not null default now()
);

create table api_keys (
  -- The eight characters in the middle of the key.
  id text primary key check (length(id) = 8),
  organization_id uuid not null references organizations,
  name text not null default '',
  secret_sha256 bytea not null,
  scopes text[] not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz
);
create index on api_keys (organization_id);

create table s3_connectors (
  organization_id uuid primary key references organizations,
  endpoint text,
  region text not null,
  access_key_id text not null,
  secret_access_key text not null,
  force_path_style boolean not null default false,
  updated_at timestamptz not null default now()
);

create table campaigns (
  id uuid primary key,
  organization_id uuid not null references organizations,
  name text not null,
  created_at timestamptz not null default now(),
  unique (organization_id, name)
);

-- Pictures that are served: an unguessable token for each, so that its address needs no key.
create table images (
  token text primary key,
  organization_id uuid not null references organizations,
  artifact_key text not null,
  content_type text not null default 'image/png',
  width integer not null,
  height integer not null,
  bytes integer not null,
  sha256 text not null,
  created_at timestamptz not null default now()
);

create table ads (
  id uuid primary key,
  organization_id uuid not null references organizations,
  campaign_id uuid not null references campaigns,
  lookup_key text,
  name text not null,
  -- The media type, as the API calls it.
  kind text not null check (kind in ('url', 'html_tag')),
  content text not null,
  status text not null default 'pending'
    check (status in ('pending', 'uploaded', 'not_found', 'net_read_timeout', 'generic_error')),
  -- In words, for a status that is a failure.
  reason text,
  category text check (category in ('display', 'video')),
  -- CSS pixels of the creative.
  width integer,
  height integer,
  preview_token text references images,
  -- `create_ad` ads wait for a preview job of their own; `screenshot_request` ads take status and preview from a set.
  source text not null check (source in ('create_ad', 'screenshot_request')),
  created_at timestamptz not null default now(),
  captured_at timestamptz,
  unique (campaign_id, lookup_key)
);
create index on ads (organization_id, created_at desc, id);
create index on ads (campaign_id);
create index on ads (created_at) where status = 'pending' and source = 'create_ad';

create table screenshot_sets (
  id uuid primary key,
  organization_id uuid not null references organizations,
  campaign_id uuid not null references campaigns,
  status text not null default 'draft'
    check (status in ('draft', 'capturing', 'in_review', 'approved', 'rejected', 'failed', 'canceled')),
  instructions text,
  -- The reviewer's own words; the service's line on failures is added when it is shown.
  review_notes text,
  cancel_requested_at timestamptz,
  created_at timestamptz not null default now(),
  settled_at timestamptz,
  approved_at timestamptz
);
create index on screenshot_sets (organization_id, created_at desc, id);
create index on screenshot_sets (created_at) where status = 'draft';
create index on screenshot_sets (organization_id, approved_at) where approved_at is not null;

-- One picture: (ad, site, device, marker).
create table screenshots (
  id uuid primary key,
  set_id uuid not null references screenshot_sets,
  -- Position in the request, from 0.
  seq integer not null,
  ad_id uuid not null references ads,
  -- As the client sent it, perhaps without a scheme; and normalised for comparing.
  site_url text not null,
  site_key text not null,
  device text not null,
  -- Null: the default capture.
  marker_ms integer check (marker_ms between 0 and 30000),
  status text not null default 'pending' check (status in ('pending', 'uploaded', 'ad_not_captured',
    'net_read_timeout', 'no_slots', 'not_found', 'blocked', 'generic_error', 'canceled')),
  reason text,
  image_token text references images,
  captured_at timestamptz,
  -- The provenance record: final URL, slot, candidates and scores, scale, mode, browser version, SHA-256.
  record jsonb,
  -- The completion index of the job that takes it; set at admission.
  job_index integer,
  unique (set_id, seq)
);
create index on screenshots (set_id, job_index);
create index on screenshots (ad_id);

create table subscribers (
  id uuid primary key,
  organization_id uuid not null references organizations,
  ad_id uuid references ads,
  set_id uuid references screenshot_sets,
  seq integer not null,
  webhook_url text,
  -- Null: the topics that every webhook gets.
  webhook_topics text[],
  s3_bucket text,
  s3_region text,
  s3_key_prefix text,
  check ((ad_id is null) <> (set_id is null)),
  check (webhook_url is not null or s3_bucket is not null)
);
create index on subscribers (ad_id) where ad_id is not null;
create index on subscribers (set_id) where set_id is not null;

-- The row behind a ScreenshotJob: a set, or up to 20 ads of create-ad that arrived together.
create table screenshot_jobs (
  id uuid primary key,
  -- The name of the resource: set-<id> or ads-<id>.
  name text not null unique check (length(name) <= 52),
  organization_id uuid not null references organizations,
  set_id uuid unique references screenshot_sets,
  indexes integer not null,
  parallelism integer not null,
  -- How many Jobs were made for it so far; at most three.
  generation integer not null default 1,
  admitted_at timestamptz not null default now(),
  -- When the set is settled whatever is missing.
  deadline_at timestamptz not null,
  -- Quarters of its pictures whose progress was told.
  progress integer not null default 0,
  settled_at timestamptz,
  outcome text
);
create index on screenshot_jobs (organization_id) where settled_at is null;

-- What one completion index has seen. The attempt is bound to the pod that opened it; results of a lower one are refused.
create table job_indexes (
  job_id uuid not null references screenshot_jobs,
  index integer not null,
  attempt integer not null default 0,
  pod text,
  started_at timestamptz,
  finished_at timestamptz,
  primary key (job_id, index)
);

-- The creatives of a job: claimed one by one under a lease, by whichever pod is there first.
create table job_creatives (
  job_id uuid not null references screenshot_jobs,
  ad_id uuid not null references ads,
  -- [{"marker_ms": number|null, "ratio": number}, …]
  wanted jsonb not null,
  status text not null default 'pending' check (status in ('pending', 'rendered', 'failed', 'canceled')),
  -- The ad's failure status and its reason in words.
  failure text check (failure in ('not_found', 'net_read_timeout', 'generic_error')),
  reason text,
  claimed_by_index integer,
  claimed_by_attempt integer,
  claim_expires_at timestamptz,
  -- Claims that ended without a result and without having been returned; the second fails the creative.
  claims_lost integer not null default 0,
  format text,
  mode text,
  notes jsonb,
  width integer,
  height integer,
  resolved_at timestamptz,
  primary key (job_id, ad_id)
);
create index on job_creatives (ad_id);

create table creative_frames (
  job_id uuid not null,
  ad_id uuid not null,
  -- -1 stands for the default capture, so that it can be part of the key.
  marker_ms integer not null,
  ratio numeric(4, 2) not null,
  image_token text not null references images,
  primary key (job_id, ad_id, marker_ms, ratio),
  foreign key (job_id, ad_id) references job_creatives
);

create table events (
  -- The uuid in evt_<uuid>.
  id uuid primary key,
  organization_id uuid not null references organizations,
  topic text not null,
  -- The envelope, byte for byte as it is signed and sent.
  body text not null,
  created_at timestamptz not null default now()
);
create index on events (organization_id, created_at desc);

create table deliveries (
  id uuid primary key,
  organization_id uuid not null references organizations,
  event_id uuid not null references events,
  subscriber_id uuid not null references subscribers,
  ad_id uuid references ads,
  set_id uuid references screenshot_sets,
  channel text not null check (channel in ('webhook', 's3')),
  -- The webhook's address, or s3://bucket/prefix.
  target text not null,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'retries_exhausted', 'gone')),
  attempts integer not null default 0,
  -- Attempts since it was last begun, of which there are so many; a replay begins anew.
  tries integer not null default 0,
  next_attempt_at timestamptz,
  replays integer not null default 0,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  unique (event_id, subscriber_id, channel)
);
create index on deliveries (organization_id, created_at desc, id);
create index on deliveries (set_id) where set_id is not null;
create index on deliveries (next_attempt_at) where status = 'pending';

create table delivery_attempts (
  delivery_id uuid not null references deliveries,
  attempt integer not null,
  started_at timestamptz not null,
  duration_ms integer not null,
  status_code integer,
  outcome text not null,
  error text,
  response_snippet text,
  primary key (delivery_id, attempt)
);

create table idempotency_keys (
  organization_id uuid not null references organizations,
  endpoint text not null,
  key text not null,
  body_sha256 bytea not null,
  -- Null while the first request runs.
  status_code integer,
  response text,
  created_at timestamptz not null default now(),
  primary key (organization_id, endpoint, key)
);
create index on idempotency_keys (created_at);
