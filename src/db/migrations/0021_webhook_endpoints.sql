-- A webhook endpoint subscribes to all sets and ads of its organization. Its id is also that of its row in `subscribers`,
-- which has the URL and the topics, so that deliveries name an endpoint as they name every other subscriber.
create table webhook_endpoints (
  id uuid primary key references subscribers,
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
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- A deleted endpoint stays for the deliveries that name it.
  deleted_at timestamptz,
  check (secret is not null or deleted_at is not null)
);
create index on webhook_endpoints (organization_id, created_at) where deleted_at is null;

-- Why a delivery ended without another attempt.
alter table deliveries add column reason text;
-- The deliveries of one endpoint, newest first. Subscribers of requests have one or two deliveries each.
create index on deliveries (subscriber_id, created_at desc);
