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
