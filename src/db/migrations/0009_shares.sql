-- Links that show the pictures of one set to people without a key. A link's address is its id with a signature, so no token is stored.
create table share_links (
  id uuid primary key,
  organization_id uuid not null references organizations,
  set_id uuid not null references screenshot_sets,
  label text not null default '',
  -- The key that created it.
  created_by text references api_keys,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  -- Written at most once a minute.
  last_used_at timestamptz,
  -- Minutes in which it was opened.
  uses integer not null default 0
);
create index on share_links (set_id, created_at desc, id);
