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
  -- The key with which the person signed in.
  key_id text not null references api_keys on delete cascade,
  -- The fields of the form.
  body jsonb not null,
  updated_at timestamptz not null default now(),
  primary key (organization_id, key_id)
);
create index on request_drafts (key_id);
create index on request_drafts (updated_at);
