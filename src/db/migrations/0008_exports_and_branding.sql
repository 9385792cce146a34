-- Files that hold the pictures of one set: PPTX, PDF or ZIP. They are built by the queue and removed when they expire.
create table exports (
  id uuid primary key,
  organization_id uuid not null references organizations,
  set_id uuid not null references screenshot_sets,
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

create table branding (
  organization_id uuid primary key references organizations,
  brand_name text,
  accent_color text not null,
  footer_text text,
  page_size text not null check (page_size in ('16:9', 'a4', 'letter')),
  logo_token text references images,
  updated_at timestamptz not null default now()
);

-- Finds the screenshot of a served picture, whose record the frame around it shows.
create index on screenshots (image_token) where image_token is not null;
