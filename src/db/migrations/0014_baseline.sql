-- PostgreSQL is the source of truth: everything that was answered with 201 or 202 is in these tables, and everything else
-- can be rebuilt from them. Later changes are numbered files beside this one.

-- Installation and organizations

create table installation (
  singleton boolean primary key default true check (singleton),
  -- Every object in a cluster has this id.
  id uuid not null default gen_random_uuid(),
  -- Incremented by each elected leader; settling transactions check it.
  epoch bigint not null default 0,
  -- Signs job tokens, upload addresses and share links.
  secret bytea not null,
  -- No Job is created until then, because the installation is being removed from the cluster.
  stopped_until timestamptz,
  -- Whether processes with a mail server run. Without one, no notices of members are stored.
  sends_mail boolean not null default false
);

create table organizations (
  id uuid primary key,
  slug text not null unique check (slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
  -- `partial`: complete sets approve themselves, and sets with failures wait for a review.
  review text not null default 'automatic' check (review in ('automatic', 'partial', 'manual')),
  disabled_at timestamptz,
  webhook_secret text not null,
  -- Signs beside the current one for a day after a rotation.
  previous_webhook_secret text,
  webhook_secret_rotated_at timestamptz,
  created_at timestamptz not null default now(),
  -- Null in the next three columns: the operator's setting applies.
  -- Screenshots that the organization may request on a day.
  pictures_per_day integer check (pictures_per_day > 0),
  -- Captures that may run at the same time.
  running_captures integer check (running_captures > 0),
  -- Sets are removed this many days after their request.
  set_retention_days integer check (set_retention_days > 0),
  -- The priority of requests that name none.
  default_priority text not null default 'normal' check (default_priority in ('low', 'normal', 'high')),
  -- No request of the organization may name a higher one.
  max_priority text not null default 'high' check (max_priority in ('low', 'normal', 'high')),
  -- Since then its keys are revoked, and a command removes its data.
  deletion_started_at timestamptz,
  -- Since then only ids are left, and its slug is free. The row stays, because the ids of removed objects refer to it.
  deleted_at timestamptz,
  check (array_position(array['low', 'normal', 'high'], default_priority)
    <= array_position(array['low', 'normal', 'high'], max_priority))
);

-- People: who they are, what they may do in each organization, and how they sign in.

create table users (
  id uuid primary key,
  -- Lower case, and proven: by a mail to it, or by the provider. Null if the provider proves none.
  email text unique check (email = lower(email)),
  name text not null check (name <> ''),
  created_at timestamptz not null default now()
);

-- How an OpenID Connect provider names a person. A subject means nothing without its issuer.
create table user_identities (
  issuer text not null,
  subject text not null,
  user_id uuid not null references users on delete cascade,
  created_at timestamptz not null default now(),
  primary key (issuer, subject)
);
create index on user_identities (user_id);

create table memberships (
  organization_id uuid not null references organizations,
  user_id uuid not null references users on delete cascade,
  role text not null check (role in ('owner', 'manager', 'reviewer', 'viewer')),
  -- Whether a rule about groups or e-mail domains gave this role. Each sign-in with the provider sets it again.
  by_rule boolean not null default false,
  created_at timestamptz not null default now(),
  primary key (organization_id, user_id)
);
create index on memberships (user_id);

create table user_sessions (
  id uuid primary key,
  -- The hash of the random token in the cookie.
  token_sha256 bytea not null unique,
  user_id uuid not null references users on delete cascade,
  -- provider: OpenID Connect. link: a link that was sent by e-mail, an invitation, or a link from the operator.
  method text not null check (method in ('provider', 'link')),
  -- Sealed. The provider needs it to end its own session.
  id_token text,
  -- The User-Agent header of the browser.
  user_agent text,
  address text,
  created_at timestamptz not null default now(),
  -- Written at most once a minute.
  last_used_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index on user_sessions (user_id);
create index on user_sessions (expires_at);

create table sign_in_links (
  token_sha256 bytea primary key,
  user_id uuid not null references users on delete cascade,
  -- The hash of the cookie in the browser that asked for the link. Null: the operator's command made the link, and any
  -- browser may open it.
  browser_sha256 bytea,
  -- The page to open afterwards.
  next text not null default '',
  expires_at timestamptz not null
);
create index on sign_in_links (expires_at);

create table invitations (
  id uuid primary key,
  organization_id uuid not null references organizations,
  email text not null check (email = lower(email)),
  role text not null check (role in ('owner', 'manager', 'reviewer', 'viewer')),
  token_sha256 bytea not null unique,
  -- Whether the token was sent only to the address, so that it proves the address.
  mailed boolean not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  unique (organization_id, email)
);
create index on invitations (email);

-- Keys, sessions and limits

create table api_keys (
  -- The eight characters in the middle of the key.
  id text primary key check (length(id) = 8),
  organization_id uuid not null references organizations,
  name text not null default '',
  secret_sha256 bytea not null,
  scopes text[] not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  -- Written at most once a minute.
  last_used_at timestamptz,
  -- The key that created it, with the API or the pages.
  created_by text references api_keys on delete set null,
  -- The person who created it.
  created_by_user uuid references users on delete set null
);
create index on api_keys (organization_id);
-- Maintenance deletes people whom no row names, so every reference to a person has an index.
create index on api_keys (created_by_user) where created_by_user is not null;

-- Sessions of the pages that ended by signing out, until they would have expired.
create table ended_sessions (
  -- The random part of the cookie. It opens nothing, because the cookie is signed.
  id text primary key,
  expires_at timestamptz not null
);

-- Token buckets that all processes of the API share. The table is unlogged because a crash may empty it: all buckets are
-- then full.
create unlogged table rate_buckets (
  key text primary key,
  -- When the bucket is full again. A bucket without a row is full.
  full_at timestamptz not null
) with (fillfactor = 50);

-- Screenshots that an organization requested on each day (UTC). Those of removed sets stay counted.
create table usage_days (
  organization_id uuid not null references organizations,
  day date not null,
  pictures integer not null,
  primary key (organization_id, day)
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

-- Audit log

-- Administrative actions of each organization: who did what, when and from where.
create table audit_log (
  id uuid primary key default gen_random_uuid(),
  organization_id uuid not null references organizations,
  created_at timestamptz not null default clock_timestamp(),
  -- A program with an API key, a person who signed in, the operator's command line, a person who failed to sign in, or the
  -- service itself.
  actor_type text not null check (actor_type in ('api_key', 'session', 'operator', 'anonymous', 'service')),
  -- The key that was used. It is no reference, because the entry must not depend on other rows.
  actor_key_id text,
  -- The person who acted. It is no reference, for the same reason.
  actor_user_id uuid,
  -- The name of the key or the person at that time.
  actor_name text,
  -- For example api_key.created.
  action text not null,
  object_type text not null,
  object_id text,
  -- [{"field": text, "from": text|null, "to": text|null}, …], without secrets.
  changes jsonb not null default '[]',
  -- Null for the operator's command line.
  address text,
  request_id text
);
create index on audit_log (organization_id, created_at desc, id);
create index audit_log_action on audit_log (organization_id, action, created_at desc, id);
create index audit_log_actor_type on audit_log (organization_id, actor_type, created_at desc, id);
create index audit_log_actor_key on audit_log (organization_id, actor_key_id, created_at desc, id)
  where actor_key_id is not null;
create index audit_log_actor_user on audit_log (organization_id, actor_user_id, created_at desc, id)
  where actor_user_id is not null;
-- The set page shows who did what.
create index audit_log_object on audit_log (organization_id, object_id, created_at desc, id) where object_id is not null;
-- The removal looks for the oldest entries of all organizations.
create index on audit_log (created_at);

-- No process changes an entry. AUDIT_LOG_RETENTION_DAYS is at least 30, so the removal never meets a younger one.
create function protect_audit_log() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    if old.created_at < now() - interval '30 days' then
      return old;
    end if;
    raise exception 'An entry of the audit log must stay for 30 days.';
  end if;
  raise exception 'The audit log is append-only: % is not possible.', lower(tg_op);
end $$;
create trigger protect_rows before update or delete on audit_log for each row execute function protect_audit_log();
create trigger protect_table before truncate on audit_log for each statement execute function protect_audit_log();

-- Pictures and files

-- Pictures that are served. Each has an unguessable token, so that its address needs no key.
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
-- The deletion of an organization looks for pictures that no other row names.
create index on images (organization_id) where artifact_key <> '';

-- Creative files that clients stored. Ads refer to them.
create table uploads (
  id uuid primary key,
  organization_id uuid not null references organizations,
  -- The file name, without folders. It may say the size of the creative.
  name text not null,
  -- These are null until all bytes are stored.
  format text,
  content_type text,
  bytes integer,
  sha256 text,
  created_at timestamptz not null default now(),
  -- The upload is removed after this time. Null if an ad uses it: then it stays.
  expires_at timestamptz
);
create index on uploads (organization_id, created_at desc, id);
create index on uploads (organization_id, sha256) where sha256 is not null;
create index on uploads (expires_at) where expires_at is not null;

-- Files of deleted rows. The sweeper deletes them.
create table removed_files (
  -- The key of a picture stands for all files that are made from it, too.
  key text primary key,
  -- The sweeper deletes the file after this time. Until then a process may still write it.
  due_at timestamptz not null default now()
);
create index on removed_files (due_at);

-- Ids of removed objects and tokens of removed pictures, so that their addresses answer 410.
create table tombstones (
  id text primary key,
  organization_id uuid not null references organizations,
  removed_at timestamptz not null default now()
);
create index on tombstones (organization_id);

create table branding (
  organization_id uuid primary key references organizations,
  brand_name text,
  accent_color text not null,
  footer_text text,
  page_size text not null check (page_size in ('16:9', 'a4', 'letter')),
  logo_token text references images,
  updated_at timestamptz not null default now()
);
create index on branding (logo_token) where logo_token is not null;

-- Search: words of texts, and with a colon in front the exact values that filters compare. No word begins with a colon.

-- The words of a text as the search compares them: lower case, without punctuation. Long ones are cut.
create function search_words(value text) returns text[] language sql immutable strict parallel safe
return array(
  select distinct left(word, 40)
  from regexp_split_to_table(translate(lower(value), '×', 'x'), '[[:space:]!"#$%&''()*+,./:;<=>?@\[\]^_`{|}~-]+|\\') as word
  where word <> '');

-- Finds texts that have a word with each of these beginnings, and objects whose id begins with the value.
create function search_query(value text) returns tsquery language sql immutable strict parallel safe
return (
  select nullif(
    coalesce('(' || string_agg(quote_literal(word) || ':*', ' & ') || ')', '')
    || case when lower(btrim(value)) ~ '^[0-9a-f]{8}[0-9a-f-]*$'
        then ' | ' || quote_literal(':id:' || lower(btrim(value))) || ':*' else '' end, '')::tsquery
  from unnest(search_words(value)) as word);

create function host_of(address text) returns text language sql immutable strict parallel safe
return substring(lower(address) from '^(?:[a-z][a-z0-9+.-]*:)?(?://)?(?:[^/?#@]*@)?([^/:?#]+)');

-- `news.example` and `example.com.news.example` both belong to the site `news.example`.
create function site_suffixes(host text) returns text[] language sql immutable strict parallel safe
return array(
  select array_to_string(labels[first:], '.')
  from (select string_to_array(lower(host), '.') as labels) as split,
    generate_series(1, greatest(1, cardinality(labels) - 1)) as first
  where cardinality(labels) - first < 8);

create function words_of_campaign(id uuid, organization_id uuid, name text) returns tsvector
language sql immutable parallel safe
return array_to_tsvector(array[':org:' || organization_id, ':id:' || id] || search_words(name));

create function words_of_ad(id uuid, organization_id uuid, name text, lookup_key text) returns tsvector
language sql immutable parallel safe
return array_to_tsvector(
  array[':org:' || organization_id, ':id:' || id] || search_words(left(name, 2000)) || search_words(coalesce(lookup_key, '')));

-- Marks of an object for lists that are filtered by metadata: one for the organization, and one for each pair. The length
-- says where the key ends. An array has statistics of its elements, which jsonb and partial indexes lack. The cost makes
-- PostgreSQL use the index for rare pairs, and the order of the list for common ones.
create function metadata_marks(organization_id uuid, metadata jsonb) returns text[]
language sql immutable parallel safe cost 10000
return array(select md5(length(key) || ':' || key || value) from jsonb_each_text(metadata)) || organization_id::text;

-- Campaigns and ads

create table campaigns (
  id uuid primary key,
  organization_id uuid not null references organizations,
  name text not null,
  created_at timestamptz not null default now(),
  -- When the last set or ad was requested, at most a minute behind.
  active_at timestamptz not null default now(),
  unique (organization_id, name)
);
create index on campaigns (organization_id, active_at desc, id);
create index on campaigns (organization_id, created_at desc, id);
create index campaigns_search on campaigns using gin (words_of_campaign(id, organization_id, name));

create table ads (
  id uuid primary key,
  organization_id uuid not null references organizations,
  campaign_id uuid not null references campaigns,
  lookup_key text,
  name text not null,
  -- The media type, as the API calls it.
  kind text not null check (kind in ('url', 'html_tag', 'upload')),
  content text not null,
  upload_id uuid references uploads,
  -- The size that the client gave for the creative, in CSS pixels; null if it gave none.
  given_width integer,
  given_height integer,
  status text not null default 'pending'
    check (status in ('pending', 'uploaded', 'not_found', 'net_read_timeout', 'generic_error')),
  -- In words, for a status that is a failure.
  reason text,
  category text check (category in ('display', 'video')),
  -- CSS pixels of the creative.
  width integer,
  height integer,
  preview_token text references images,
  -- Facts that the reader of a picture should know: [{"code","message"}].
  warnings jsonb not null default '[]',
  -- Free pairs of texts that the client gave.
  metadata jsonb not null default '{}',
  -- `create_ad` ads wait for a preview job of their own; `screenshot_request` ads take status and preview from a set.
  -- `draft` ads were made by the page of a new request, and no request used them yet.
  source text not null check (source in ('create_ad', 'screenshot_request', 'draft')),
  created_at timestamptz not null default now(),
  captured_at timestamptz,
  -- The span of the request that created it, see screenshot_sets.
  traceparent text check (traceparent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$'),
  unique (campaign_id, lookup_key),
  constraint ads_upload_check check ((kind = 'upload') = (upload_id is not null))
);
create index on ads (organization_id, created_at desc, id);
create index on ads (organization_id, status, created_at desc, id);
create index on ads (organization_id, name, id desc);
-- A media plan names ads in any case.
create index ads_name on ads (organization_id, lower(name));
create index on ads (campaign_id, created_at desc, id);
create index ads_lookup_key on ads (organization_id, lookup_key) where lookup_key is not null;
create index ads_search on ads using gin (words_of_ad(id, organization_id, name, lookup_key));
create index ads_metadata on ads using gin (metadata_marks(organization_id, metadata));
create index ads_drafts on ads (created_at) where source = 'draft';
-- The oldest of each organization are read, whatever the number of ads that wait behind them.
create index ads_pending on ads (organization_id, created_at, id) where status = 'pending' and source <> 'screenshot_request';
-- The audit reads all pending ads page by page.
create index on ads (id) where status = 'pending';
create index on ads (upload_id) where upload_id is not null;
create index on ads (preview_token) where preview_token is not null;

-- Sets and screenshots

create table screenshot_sets (
  id uuid primary key,
  organization_id uuid not null references organizations,
  campaign_id uuid not null references campaigns,
  status text not null default 'draft'
    check (status in ('draft', 'capturing', 'in_review', 'approved', 'rejected', 'failed', 'canceled')),
  -- A name that people give the set. Without one, pages show the name of its campaign and its date.
  name text check (char_length(name) between 1 and 250),
  priority text not null default 'normal' check (priority in ('low', 'normal', 'high')),
  instructions text,
  -- Free pairs of texts that the client gave.
  metadata jsonb not null default '{}',
  -- The text of the reviewer. The line about failures is added when the notes are shown.
  review_notes text,
  cancel_requested_at timestamptz,
  created_at timestamptz not null default now(),
  first_picture_at timestamptz,
  settled_at timestamptz,
  approved_at timestamptz,
  -- The schedule that requested the set. It stays when the schedule is deleted, so there is no foreign key.
  schedule_id uuid,
  -- The span of the request that created the set, as the W3C header `traceparent`; null without tracing. A job has the span
  -- of its set, its placement or its oldest ad, and an event that of its set or its ad, so that all work for one set belongs
  -- to one trace.
  traceparent text check (traceparent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$'),
  -- A retake is a new set, and outlives the set that it repeats. The sets and pictures that it repeats never change.
  retake_of uuid references screenshot_sets on delete set null,
  -- The first set of all retakes, so that one query finds them all. Null for a set that is no retake.
  original_id uuid references screenshot_sets on delete set null
);
create index on screenshot_sets (organization_id, created_at desc, id);
create index on screenshot_sets (organization_id, status, created_at desc, id);
create index on screenshot_sets (organization_id, approved_at) where approved_at is not null;
create index on screenshot_sets (campaign_id, created_at desc, id);
create index screenshot_sets_in_review on screenshot_sets (campaign_id) where status = 'in_review';
create index screenshot_sets_unsettled on screenshot_sets (campaign_id) where status in ('draft', 'capturing');
create index screenshot_sets_metadata on screenshot_sets using gin (metadata_marks(organization_id, metadata));
create index on screenshot_sets (original_id, created_at desc) where original_id is not null;
create index on screenshot_sets (retake_of) where retake_of is not null;
create index on screenshot_sets (created_at) where status = 'draft';
-- The oldest of each organization and priority are read, whatever the number of sets that wait behind them.
create index screenshot_sets_turns on screenshot_sets (organization_id, priority, created_at, id)
  where status = 'draft' and cancel_requested_at is null;

-- One picture: (ad, site, device, marker).
create table screenshots (
  id uuid primary key,
  set_id uuid not null references screenshot_sets on delete cascade,
  -- Position in the request, from 0.
  seq integer not null,
  ad_id uuid not null references ads,
  -- As the client sent it, perhaps without a scheme; and normalized for comparing.
  site_url text not null,
  site_key text not null,
  device text not null,
  -- Null: the default capture.
  marker_ms integer check (marker_ms between 0 and 30000),
  -- Options that differ from the defaults of the API; null if all have their defaults.
  options jsonb,
  status text not null default 'pending' check (status in ('pending', 'uploaded', 'ad_not_captured',
    'net_read_timeout', 'no_slots', 'not_found', 'blocked', 'generic_error', 'canceled')),
  reason text,
  -- Facts that the reader of a picture should know: [{"code","message"}].
  warnings jsonb not null default '[]',
  image_token text references images,
  captured_at timestamptz,
  -- The provenance record: final URL, slot, candidates and scores, scale, mode, browser version, SHA-256.
  record jsonb,
  -- The animation of the picture: {"seconds", "fps", "webp": {"token", "bytes", "width", "height"}, "gif": {…}}; null if
  -- there is none.
  animation jsonb,
  -- The row in page_access with the cookies and headers for the page. Both rows are removed with their set, so there is no
  -- foreign key.
  page_access_id uuid,
  -- The completion index of the job that takes it; set at admission.
  job_index integer,
  retake_of uuid references screenshots on delete set null,
  original_id uuid references screenshots on delete set null,
  -- The current decision of the reviewers; null if there is none. The table `reviews` has the history.
  decision text check (decision in ('approved', 'rejected')),
  unique (set_id, seq)
);
create index on screenshots (set_id, job_index);
-- Counts the screenshots of a list page without reading them.
create index on screenshots (set_id, status);
create index on screenshots (ad_id);
-- Finds the screenshot of a served picture, whose record the frame around it shows.
create index on screenshots (image_token) where image_token is not null;
create index on screenshots (retake_of) where retake_of is not null;
create index on screenshots (original_id) where original_id is not null;

-- Cookies and headers that a request gives for its pages. They are removed with the set.
create table page_access (
  id uuid primary key,
  set_id uuid not null references screenshot_sets on delete cascade,
  -- Sealed: {"cookies": [{"name": text, "value": text}, …], "headers": the same}
  content text not null
);
create index on page_access (set_id);

-- The search words of a set.
create table set_search (
  set_id uuid primary key references screenshot_sets on delete cascade,
  -- A tsvector holds at most 1 MB.
  words tsvector not null,
  -- Set after an ad or the campaign was renamed. Maintenance then writes the words again.
  stale boolean not null default false
);
create index on set_search using gin (words);
create index on set_search (set_id) where stale;

create function words_of_set(wanted uuid) returns tsvector language sql stable
begin atomic
  with shot as materialized (select distinct site_key, device, ad_id from screenshots where set_id = wanted),
  site as (select distinct site_key from shot limit 2000),
  ad as (select a.id, a.name, a.lookup_key from ads a where a.id = any(array(select ad_id from shot)) limit 2000),
  value as (
    select ':org:' || organization_id as v from screenshot_sets where id = wanted
    union select ':id:' || wanted
    union select ':device:' || lower(device) from shot
    union (select distinct ':site:' || left(suffix, 100) from site, unnest(site_suffixes(host_of(site_key))) as suffix limit 2000)
    union select ':id:' || id from ad
  ),
  text as (
    select c.name as t from screenshot_sets s join campaigns c on c.id = s.campaign_id where s.id = wanted
    union all select name from ad
    union all select lookup_key from ad where lookup_key is not null
    union all select regexp_replace(site_key, '^[a-z][a-z0-9+.-]*://', '') from site
  ),
  word as (select distinct w from text, unnest(search_words(t)) as w limit 4000)
  select array_to_tsvector(array(select v from value union select w from word));
end;

create function index_sets() returns trigger language plpgsql as $$
begin
  insert into set_search (set_id, words)
  select id, words_of_set(id) from (select distinct set_id as id from added) as changed
  on conflict (set_id) do update set words = excluded.words;
  return null;
end $$;
create trigger index_sets after insert on screenshots
  referencing new table as added for each statement execute function index_sets();

-- Skips a campaign that another request is writing, so that requests never wait for each other.
create function note_activity() returns trigger language plpgsql as $$
begin
  update campaigns set active_at = now() where id in (
    select c.id from campaigns c where c.id in (select campaign_id from added)
      and c.active_at < now() - interval '1 minute' for no key update skip locked);
  return null;
end $$;
create trigger note_activity after insert on screenshot_sets
  referencing new table as added for each statement execute function note_activity();
create trigger note_activity after insert on ads
  referencing new table as added for each statement execute function note_activity();

-- Placements and schedules

-- A page and its candidate slots, before an ad is placed.
create table placements (
  -- Its job has the same id, and the name placement-<id>.
  id uuid primary key,
  organization_id uuid not null references organizations,
  -- As the client sent it, perhaps without a scheme.
  site_url text not null,
  device text not null,
  -- The sizes of ads: [{"width": number, "height": number}, …]
  sizes jsonb not null,
  -- As in screenshots.
  status text not null default 'pending' check (status in ('pending', 'uploaded', 'ad_not_captured', 'net_read_timeout',
    'no_slots', 'not_found', 'blocked', 'generic_error', 'canceled')),
  reason text,
  image_token text references images,
  captured_at timestamptz,
  -- The result: the page and its slots for each size.
  record jsonb,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  -- The span of the request that created it, see screenshot_sets.
  traceparent text check (traceparent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$')
);
create index on placements (organization_id);
create index placements_pending on placements (organization_id, created_at, id) where status = 'pending';
create index on placements (expires_at) where status <> 'pending';
create index on placements (image_token) where image_token is not null;

-- Requests that repeat during a flight.
create table schedules (
  id uuid primary key,
  organization_id uuid not null references organizations,
  name text not null,
  -- Without its campaign a schedule has nothing to request.
  campaign_id uuid not null references campaigns on delete cascade,
  -- The JSON body of a screenshot request, which names campaign and ads by their ids. Its unknown fields may hold
  -- characters that jsonb cannot.
  request text not null,
  -- {"cron": text} or {"days": [text, …], "start": "08:00", "end": "10:00"}
  rule jsonb not null,
  -- The IANA name.
  time_zone text not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  missed text not null check (missed in ('once', 'skip')),
  paused_at timestamptz,
  -- Why the service paused it. Null: a person did.
  paused_reason text,
  -- The next run. Null: paused, or there is no further one.
  due_at timestamptz,
  -- When maintenance last added a missing wake-up entry.
  woken_at timestamptz,
  -- Refused runs since the last run that created a set.
  refused_runs integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check (paused_at is null or due_at is null)
);
create index on schedules (organization_id, created_at, id);
create index on schedules (campaign_id);
create index on schedules (due_at) where due_at is not null;

-- One row for each due time, so that no due time creates two sets.
create table schedule_runs (
  schedule_id uuid not null references schedules on delete cascade,
  due_at timestamptz not null,
  ran_at timestamptz not null default now(),
  outcome text not null check (outcome in ('requested', 'refused', 'skipped')),
  set_id uuid references screenshot_sets on delete cascade,
  -- Why there is no set.
  reason text,
  primary key (schedule_id, due_at),
  check ((outcome = 'requested') = (set_id is not null)),
  check ((outcome = 'requested') = (reason is null))
);
create unique index on schedule_runs (set_id);
create index on schedule_runs (ran_at) where set_id is null;

-- Reviews, comments and answers of clients

-- Every decision and comment of a reviewer. The last row of a set or a screenshot is its review.
create table reviews (
  id bigint generated always as identity primary key,
  set_id uuid not null references screenshot_sets on delete cascade,
  -- Null: the review of the whole set.
  screenshot_id uuid references screenshots on delete cascade,
  decision text not null check (decision in ('approved', 'rejected', 'none')),
  comment text,
  -- The key that was used, or the person.
  key_id text references api_keys,
  user_id uuid references users,
  created_at timestamptz not null default now()
);
create index on reviews (set_id);
create index reviews_of_sets on reviews (set_id, id) where screenshot_id is null;
create index reviews_of_screenshots on reviews (screenshot_id, id) where screenshot_id is not null;
create index on reviews (user_id) where user_id is not null;

-- Links that show the pictures of one set to people without a key. A link's address is its id with a signature, so no token
-- is stored.
create table share_links (
  id uuid primary key,
  organization_id uuid not null references organizations,
  set_id uuid not null references screenshot_sets on delete cascade,
  label text not null default '',
  -- Whether people with the link may download the pictures as PPTX, PDF or ZIP.
  downloads boolean not null default false,
  -- Whether people with the link may answer and comment.
  answers boolean not null default false,
  -- A salt of 16 bytes, then the scrypt hash. Null: the link needs no password.
  password_hash bytea,
  -- approved: only pictures that a reviewer approved, or whose set is approved.
  pictures text not null default 'all' check (pictures in ('all', 'approved')),
  -- The key that created it, or the person.
  created_by text references api_keys,
  created_by_user uuid references users,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  -- Written at most once a minute.
  last_used_at timestamptz,
  -- Minutes in which it was opened.
  uses integer not null default 0
);
create index on share_links (set_id, created_at desc, id);
create index on share_links (created_by_user) where created_by_user is not null;

-- Comments in threads.
create table comments (
  id uuid primary key,
  organization_id uuid not null references organizations,
  -- The set of the picture, or the set itself if the comment is about no single picture.
  set_id uuid not null references screenshot_sets on delete cascade,
  screenshot_id uuid references screenshots on delete cascade,
  -- The first comment of the thread. Null: this is the first one.
  thread_id uuid references comments on delete cascade,
  body text not null,
  -- The pin, as fractions of the width and height of the picture.
  pin_x double precision check (pin_x between 0 and 1),
  pin_y double precision check (pin_y between 0 and 1),
  -- The author is a key of the organization, a person, or a client with a share link.
  key_id text references api_keys,
  user_id uuid references users,
  share_id uuid references share_links on delete cascade,
  client_name text,
  client_email text,
  client_address text,
  created_at timestamptz not null default clock_timestamp(),
  resolved_at timestamptz,
  -- The key that resolved the thread, or the person.
  resolved_by text references api_keys,
  resolved_by_user uuid references users,
  constraint comments_author check (num_nonnulls(key_id, user_id, share_id) = 1),
  constraint comments_check1 check ((pin_x is null) = (pin_y is null))
);
create index comments_of_sets on comments (set_id, created_at desc, id);
create index comments_of_screenshots on comments (screenshot_id, created_at desc, id) where screenshot_id is not null;
create index on comments (thread_id) where thread_id is not null;
create index on comments (share_id) where share_id is not null;
create index on comments (user_id) where user_id is not null;
create index on comments (resolved_by_user) where resolved_by_user is not null;

-- Every answer of a client. Answers do not change decisions of reviewers.
create table share_answers (
  id uuid primary key,
  organization_id uuid not null references organizations,
  share_id uuid not null references share_links on delete cascade,
  set_id uuid not null references screenshot_sets on delete cascade,
  -- Null: all pictures that the link showed. No reference, because the answer outlives a removed retake.
  screenshot_id uuid,
  -- How many pictures it is about.
  pictures integer not null,
  answer text not null check (answer in ('approved', 'changes_requested')),
  comment_id uuid references comments on delete set null,
  client_name text not null,
  client_email text not null,
  client_address text,
  created_at timestamptz not null default clock_timestamp()
);
create index on share_answers (set_id, created_at desc, id);
create index on share_answers (share_id);
create index on share_answers (comment_id) where comment_id is not null;

-- The newest answer about each picture.
create table latest_answers (
  screenshot_id uuid primary key references screenshots on delete cascade,
  answer_id uuid not null references share_answers on delete cascade
);
create index on latest_answers (answer_id);

-- Saved objects and exports

-- Sites, devices and options of requests, saved under a name.
create table request_templates (
  id uuid primary key,
  organization_id uuid not null references organizations,
  name text not null,
  -- Sites, devices and options, as the API calls them.
  body jsonb not null,
  -- The key that saved it last.
  saved_by text references api_keys,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (organization_id, name)
);

-- Lists of sites, saved under a name and shared in the organization. The columns are those of request_templates.
create table site_lists (
  id uuid primary key,
  organization_id uuid not null references organizations,
  name text not null,
  -- {"sites": [{"url": text}, …]}
  body jsonb not null,
  -- The key that saved it last.
  saved_by text references api_keys,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (organization_id, name)
);

-- What a person has entered on the page of a new request and not sent yet.
create table request_drafts (
  organization_id uuid not null references organizations,
  -- The key with which the person signed in, or the member.
  key_id text references api_keys on delete cascade,
  user_id uuid,
  -- The fields of the form.
  body jsonb not null,
  updated_at timestamptz not null default now(),
  foreign key (organization_id, user_id) references memberships on delete cascade,
  constraint request_drafts_author check (num_nonnulls(key_id, user_id) = 1),
  constraint request_drafts_of_keys unique (organization_id, key_id),
  constraint request_drafts_of_people unique (organization_id, user_id)
);
create index on request_drafts (key_id);
create index on request_drafts (updated_at);

-- Files that hold the pictures of one set: PPTX, PDF or ZIP. They are built by the queue and removed when they expire.
create table exports (
  id uuid primary key,
  organization_id uuid not null references organizations,
  set_id uuid not null references screenshot_sets on delete cascade,
  -- The address of the file contains it, so that the address needs no key.
  token text not null unique,
  format text not null check (format in ('pptx', 'pdf', 'zip')),
  options jsonb not null,
  -- SHA-256 of the options, the pictures and the branding: equal fingerprints mean equal files.
  fingerprint text not null,
  status text not null default 'pending' check (status in ('pending', 'building', 'ready', 'failed', 'expired')),
  -- Number of times that building started.
  attempt integer not null default 0,
  -- Pictures that are in the file, and pictures in all.
  done integer not null default 0,
  total integer not null,
  -- Files of this format that the whole set needs.
  parts integer not null,
  artifact_key text,
  file_name text not null,
  bytes bigint,
  sha256 text,
  reason text,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  expires_at timestamptz
);
create unique index exports_one_file on exports (set_id, fingerprint) where status in ('pending', 'building', 'ready');
create index on exports (organization_id) where status in ('pending', 'building');
create index on exports (set_id, created_at desc);
create index on exports (expires_at) where status = 'ready';

-- Jobs

-- The row behind a ScreenshotJob: a set, a placement, or up to 20 ads of create-ad that arrived together.
create table screenshot_jobs (
  id uuid primary key,
  -- The name of the resource: set-<id>, placement-<id> or ads-<id>.
  name text not null unique check (length(name) <= 52),
  organization_id uuid not null references organizations,
  -- The job of a removed set stays for eight days, because its ScreenshotJob may be in the cluster as long.
  set_id uuid unique references screenshot_sets on delete set null,
  indexes integer not null,
  parallelism integer not null,
  -- How many Jobs were made for it so far; at most three.
  generation integer not null default 1,
  admitted_at timestamptz not null default now(),
  -- When its first Job was made: the time to be scheduled begins.
  launched_at timestamptz,
  -- When the set is settled whatever is missing.
  deadline_at timestamptz not null,
  -- Quarters of its pictures that an event has reported.
  progress integer not null default 0,
  -- What the cluster said, if nothing of the job could start.
  problem text,
  settled_at timestamptz,
  outcome text,
  -- Its captures may take small sets, and another capture may take it.
  small boolean not null default false,
  -- The capture that works on this job instead of a Job of its own. No foreign keys, because the row of the host may be
  -- removed first.
  host_job_id uuid,
  host_index integer,
  host_pod text,
  hosted_at timestamptz,
  -- The span of the request that it serves, see screenshot_sets.
  traceparent text check (traceparent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$')
);
create index on screenshot_jobs (organization_id) where settled_at is null;
create index screenshot_jobs_hosted on screenshot_jobs (host_job_id, host_index)
  where host_job_id is not null and settled_at is null;
-- The job of a removed placement stays as long as the job of a removed set.
create index screenshot_jobs_of_removed_sets on screenshot_jobs (settled_at) where set_id is null and name not like 'ads-%';

-- The state of one completion index. The attempt is bound to the pod that opened it; the service rejects results of a lower
-- one.
create table job_indexes (
  job_id uuid not null references screenshot_jobs on delete cascade,
  index integer not null,
  attempt integer not null default 0,
  pod text,
  started_at timestamptz,
  finished_at timestamptz,
  -- The capture of the current attempt may host until then, unless it renews this lease. Null: it does not host.
  hosting_until timestamptz,
  hosting_ended_at timestamptz,
  primary key (job_id, index)
);
create index job_indexes_hosting on job_indexes (hosting_until) where hosting_until is not null;

-- The creatives of a job: claimed one by one under a lease, by the first pod that asks.
create table job_creatives (
  job_id uuid not null references screenshot_jobs on delete cascade,
  ad_id uuid not null references ads on delete cascade,
  -- [{"marker_ms": number|null, "ratio": number}, …]
  wanted jsonb not null,
  -- Frames for animations: [{"seconds", "fps", "ratio"}, …]
  wanted_films jsonb not null default '[]',
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
  warnings jsonb not null default '[]',
  -- As `wanted_films`, each with its file or the reason why there is none. These files are not served as pictures: they are
  -- removed when the job ends.
  films jsonb not null default '[]',
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
  foreign key (job_id, ad_id) references job_creatives on delete cascade
);
create index on creative_frames (image_token);

-- Contents that captures declared for the pictures of running jobs, so that all API processes count together. Settling a
-- job deletes its rows.
create table declared_uploads (
  job_id uuid not null references screenshot_jobs on delete cascade,
  -- The key of the picture in one attempt, without a content.
  picture text not null,
  -- SHA-256 of each content.
  contents text[] not null,
  primary key (job_id, picture)
);

-- Notices: what members get by e-mail, and chats of an organization by an incoming webhook.

create table notice_chats (
  id uuid primary key,
  organization_id uuid not null references organizations,
  name text not null check (name <> ''),
  kind text not null check (kind in ('slack', 'teams', 'webhook')),
  -- Sealed, because anyone who has it can write into the chat.
  address text not null,
  -- The host in the address, which pages show.
  host text not null,
  -- The kinds of notices that it gets.
  notices text[] not null,
  disabled_at timestamptz,
  -- Why the service disabled it.
  disabled_reason text,
  created_at timestamptz not null default now(),
  unique (organization_id, name)
);

-- What a member chose for one kind of notice, in place of the default.
create table notice_choices (
  organization_id uuid not null,
  user_id uuid not null,
  kind text not null,
  timing text not null check (timing in ('now', 'hour', 'day', 'none')),
  primary key (organization_id, user_id, kind),
  foreign key (organization_id, user_id) references memberships on delete cascade
);
create index on notice_choices (user_id);

-- The time zone of a person's mails, and how their last mails failed.
create table notice_addresses (
  user_id uuid primary key references users on delete cascade,
  -- Daily digests are sent in the morning of this time zone.
  time_zone text not null default 'UTC',
  -- The address that the mail server rejected, how often in a row, and its message.
  refused_email text,
  refusals integer not null default 0,
  refused_reason text
);

-- Notices that wait for their mail or message. A receiver has one row for each kind and subject, which counts repetitions.
create table notices (
  id uuid primary key default gen_random_uuid(),
  organization_id uuid not null references organizations,
  user_id uuid,
  chat_id uuid references notice_chats on delete cascade,
  kind text not null,
  set_id uuid references screenshot_sets on delete cascade,
  -- The set, or another object of the organization that it is about.
  subject_id uuid,
  -- The facts for the text, from the last occurrence.
  facts jsonb not null,
  times integer not null default 1,
  pictures integer not null default 0,
  -- The default, if the person chose nothing.
  timing text not null check (timing in ('now', 'hour', 'day')),
  -- Whether it waits for a digest, because its receiver got too many in an hour.
  is_deferred boolean not null default false,
  created_at timestamptz not null default now(),
  -- When the collector looks at it. It then waits for its digest, or is sent.
  due_at timestamptz not null,
  foreign key (organization_id, user_id) references memberships on delete cascade,
  check (num_nonnulls(user_id, chat_id) = 1),
  unique nulls not distinct (organization_id, user_id, chat_id, kind, subject_id)
);
create index on notices (due_at);
create index on notices (user_id);
create index on notices (chat_id);
create index on notices (set_id);

-- Events and deliveries

-- An organization has several connectors. Subscribers without a name use the one named s3.
create table s3_connectors (
  organization_id uuid not null references organizations,
  name text not null default 's3' check (name ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
  endpoint text,
  region text not null,
  -- An access key, or a role that the service assumes. The external id is the id of the organization.
  access_key_id text,
  secret_access_key text,
  role_arn text,
  force_path_style boolean not null default false,
  -- How the server encrypts and stores objects. Null: the default of the bucket.
  encryption text check (encryption in ('AES256', 'aws:kms')),
  kms_key_id text,
  storage_class text,
  updated_at timestamptz not null default now(),
  -- The last check of the connector: an object is written to a bucket and deleted.
  check_bucket text,
  check_region text,
  check_key_prefix text,
  check_status text check (check_status in ('pending', 'passed', 'failed')),
  -- The result, for people.
  check_message text,
  check_requested_at timestamptz,
  check_finished_at timestamptz,
  primary key (organization_id, name),
  check ((access_key_id is null) = (role_arn is not null)),
  check ((secret_access_key is null) = (access_key_id is null))
);

-- The receivers of events: of an ad, of a set, of all ads and sets (a webhook endpoint), or of one test event.
create table subscribers (
  id uuid primary key,
  organization_id uuid not null references organizations,
  ad_id uuid references ads on delete cascade,
  set_id uuid references screenshot_sets on delete cascade,
  seq integer not null,
  webhook_url text,
  -- Null: the topics that every webhook gets.
  webhook_topics text[],
  s3_bucket text,
  s3_region text,
  s3_key_prefix text,
  -- The name of a connector. It is no reference, because the connector may be removed.
  s3_connector text,
  constraint subscribers_subject_check check (num_nonnulls(ad_id, set_id) <= 1),
  constraint subscribers_receiver_check check (webhook_url is not null or s3_bucket is not null)
);
create index on subscribers (ad_id) where ad_id is not null;
create index on subscribers (set_id) where set_id is not null;
create index on subscribers (organization_id) where ad_id is null and set_id is null;

-- A webhook endpoint subscribes to all sets and ads of its organization. Its id is also that of its row in `subscribers`,
-- which has the URL and the topics, so that deliveries name an endpoint as they name every other subscriber.
create table webhook_endpoints (
  id uuid primary key references subscribers on delete cascade,
  organization_id uuid not null references organizations,
  description text not null default '',
  -- Names in their order. The values are in `headers`, as a JSON object.
  header_names text[] not null default '{}',
  headers text,
  -- Null after the endpoint was deleted.
  secret text,
  previous_secret text,
  secret_rotated_at timestamptz,
  disabled_at timestamptz,
  -- Why the service disabled it; null if a request did.
  disabled_reason text,
  -- The time of the first failed delivery attempt since the last success.
  failing_since timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- A deleted endpoint stays for the deliveries that name it.
  deleted_at timestamptz,
  check (secret is not null or deleted_at is not null)
);
create index on webhook_endpoints (organization_id, created_at) where deleted_at is null;

create table events (
  -- The uuid in evt_<uuid>.
  id uuid primary key,
  organization_id uuid not null references organizations,
  topic text not null,
  -- The envelope, byte for byte as it is signed and sent.
  body text not null,
  created_at timestamptz not null default now(),
  -- The ad or set that it is about. No references, because events outlive both.
  ad_id uuid,
  set_id uuid,
  -- The span of the request that caused it, see screenshot_sets.
  traceparent text check (traceparent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$')
);
create index on events (organization_id, created_at desc);
create index events_topic on events (organization_id, topic, created_at desc, id);
create index events_ad on events (ad_id) where ad_id is not null;
create index events_set on events (set_id) where set_id is not null;
-- The oldest events are removed first.
create index on events (created_at);

-- An event on its way to one receiver: a subscriber, or for a notice a person or a chat.
create table deliveries (
  id uuid primary key,
  organization_id uuid not null references organizations,
  event_id uuid not null references events on delete cascade,
  subscriber_id uuid references subscribers on delete cascade,
  user_id uuid references users on delete cascade,
  chat_id uuid references notice_chats on delete cascade,
  -- No references, because deliveries to webhook endpoints outlive the ad or set.
  ad_id uuid,
  set_id uuid,
  channel text not null check (channel in ('webhook', 's3', 'email', 'chat')),
  -- The webhook's address, s3://bucket/prefix, or the name of the person or the chat.
  target text not null,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'retries_exhausted', 'gone', 'refused')),
  -- Why it ended without another attempt.
  reason text,
  attempts integer not null default 0,
  -- Attempts since it last began. A replay begins again.
  tries integer not null default 0,
  next_attempt_at timestamptz,
  replays integer not null default 0,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  unique (event_id, subscriber_id, channel),
  constraint deliveries_receiver check (num_nonnulls(subscriber_id, user_id, chat_id) = 1)
);
create index on deliveries (organization_id, created_at desc, id);
create index deliveries_status on deliveries (organization_id, status, created_at desc, id) where status <> 'delivered';
create index deliveries_s3 on deliveries (organization_id, created_at desc, id) where channel = 's3';
create index on deliveries (ad_id, created_at desc, id) where ad_id is not null;
create index on deliveries (set_id) where set_id is not null;
-- The deliveries of one endpoint, newest first. Subscribers of requests have one or two deliveries each.
create index on deliveries (subscriber_id, created_at desc);
create index on deliveries (user_id, created_at) where user_id is not null;
create index on deliveries (chat_id, created_at) where chat_id is not null;
create index on deliveries (next_attempt_at) where status = 'pending';
-- Workers find the deliveries that are due by organization and receiver. The expression is the one of deliveryQueue.ts.
create index deliveries_queue on deliveries (
  channel,
  organization_id,
  coalesce(lower(substring(target from '^[^:]+://(?:[^/?#]*@)?([^/?#]+)')), ''),
  next_attempt_at
) where status = 'pending';

create table delivery_attempts (
  delivery_id uuid not null references deliveries on delete cascade,
  attempt integer not null,
  started_at timestamptz not null,
  duration_ms integer not null,
  status_code integer,
  outcome text not null,
  error text,
  response_snippet text,
  primary key (delivery_id, attempt)
);

-- Removal: deleting an object deletes its rows at once, with all rows that belong to it. These triggers note the files of
-- deleted rows for the sweeper, and the ids that answer 410.

create function bury() returns trigger language plpgsql as $$
begin
  insert into tombstones (id, organization_id) select id, organization_id from gone on conflict do nothing;
  return null;
end $$;
create trigger bury after delete on campaigns referencing old table as gone for each statement execute function bury();
create trigger bury after delete on ads referencing old table as gone for each statement execute function bury();
create trigger bury after delete on share_links referencing old table as gone for each statement execute function bury();
create trigger bury after delete on comments referencing old table as gone for each statement execute function bury();
create trigger bury after delete on placements referencing old table as gone for each statement execute function bury();
create trigger bury after delete on schedules referencing old table as gone for each statement execute function bury();

-- Runs before the screenshots and the link to the job are gone. Events with names or e-mail addresses of people are removed
-- with their set.
create function bury_set() returns trigger language plpgsql as $$
begin
  insert into tombstones (id, organization_id)
    select old.id, old.organization_id union all select id, old.organization_id from screenshots where set_id = old.id
    on conflict do nothing;
  delete from job_creatives where job_id in (select id from screenshot_jobs where set_id = old.id);
  delete from events where set_id = old.id and topic in ('share.answered', 'notice');
  return old;
end $$;
create trigger bury before delete on screenshot_sets for each row execute function bury_set();

create function note_pictures() returns trigger language plpgsql as $$
begin
  insert into tombstones (id, organization_id) select token, organization_id from gone on conflict do nothing;
  insert into removed_files (key) select artifact_key from gone where artifact_key <> '' on conflict do nothing;
  return null;
end $$;
create trigger note_files after delete on images referencing old table as gone for each statement execute function note_pictures();

create function remove_screenshot_pictures() returns trigger language plpgsql as $$
begin
  delete from images where token in (select image_token from gone);
  return null;
end $$;
create trigger remove_pictures after delete on screenshots
  referencing old table as gone for each statement execute function remove_screenshot_pictures();
create trigger remove_pictures after delete on placements
  referencing old table as gone for each statement execute function remove_screenshot_pictures();

create function remove_animations() returns trigger language plpgsql as $$
begin
  delete from images where token in (select animation->format->>'token' from gone, unnest(array['webp', 'gif']) as format);
  return null;
end $$;
create trigger remove_animations after delete on screenshots
  referencing old table as gone for each statement execute function remove_animations();

-- The preview of an ad is one of the frames of its creatives, so two rows may name it.
create function remove_unused_pictures(tokens text[]) returns void language sql
begin atomic
  delete from images i where token = any(tokens)
    and not exists (select from creative_frames where image_token = i.token)
    and not exists (select from ads where preview_token = i.token)
    and not exists (select from screenshots where image_token = i.token);
end;
create function remove_frame_pictures() returns trigger language plpgsql as $$
begin
  perform remove_unused_pictures(array(select image_token from gone));
  return null;
end $$;
create trigger remove_pictures after delete on creative_frames
  referencing old table as gone for each statement execute function remove_frame_pictures();

-- An upload that no other ad uses expires. The lock lets a request that begins to use it end first.
create function release_ads() returns trigger language plpgsql as $$
begin
  perform remove_unused_pictures(array(select preview_token from gone where preview_token is not null));
  perform from uploads where id in (select upload_id from gone) order by id for no key update;
  update uploads u set expires_at = now()
    where id in (select upload_id from gone) and not exists (select from ads where upload_id = u.id);
  return null;
end $$;
create trigger release after delete on ads referencing old table as gone for each statement execute function release_ads();

create function note_uploads() returns trigger language plpgsql as $$
begin
  insert into removed_files (key) select 'uploads/' || id from gone on conflict do nothing;
  return null;
end $$;
create trigger note_files after delete on uploads referencing old table as gone for each statement execute function note_uploads();

-- Each attempt may have left a file. An export that is being built may write its file for an hour more.
create function note_export() returns trigger language plpgsql as $$
begin
  insert into removed_files (key, due_at)
    select 'exports/' || old.id || '/' || n || '.' || old.format,
      now() + case when old.status = 'building' then interval '1 hour' else interval '0' end
    from generate_series(1, old.attempt) as n
    on conflict do nothing;
  return null;
end $$;
create trigger note_files after delete on exports for each row execute function note_export();
create trigger note_files_of_ended after update of status on exports for each row
  when (new.status in ('expired', 'failed') and new.status <> old.status) execute function note_export();
