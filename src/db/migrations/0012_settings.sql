alter table api_keys
  -- Written at most once a minute.
  add column last_used_at timestamptz,
  -- The key that created it, with the API or the pages.
  add column created_by text references api_keys;

-- Sessions of the pages that ended by signing out, until they would have expired.
create table ended_sessions (
  -- The random part of the cookie. It opens nothing, because the cookie is signed.
  id text primary key,
  expires_at timestamptz not null
);

-- The receiver of a test event subscribes to neither an ad nor a set.
alter table subscribers
  drop constraint subscribers_check,
  add constraint subscribers_subject_check check (num_nonnulls(ad_id, set_id) <= 1);

-- The last check of a connector: an object is written to a bucket and deleted.
alter table s3_connectors
  add column check_bucket text,
  add column check_region text,
  add column check_key_prefix text,
  add column check_status text check (check_status in ('pending', 'passed', 'failed')),
  -- What was found, for people.
  add column check_message text,
  add column check_requested_at timestamptz,
  add column check_finished_at timestamptz;
