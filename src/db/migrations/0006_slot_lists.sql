-- The last good copy of each filter list that SLOT_LISTS names.
create table slot_lists (
  -- The file or the address.
  source text primary key,
  -- The text, compressed with gzip.
  content bytea not null,
  -- Of the text.
  sha256 text not null,
  etag text,
  fetched_at timestamptz not null default now(),
  -- When the leader fetches it again.
  check_at timestamptz not null
);
-- All lists, compiled. Captures load it.
create table slot_list_bundle (
  singleton boolean primary key default true check (singleton),
  -- Only programs of this format can read it.
  format text not null,
  -- Identifies the texts that it was compiled from, and the format.
  input text not null,
  content bytea not null,
  -- Of the content.
  sha256 text not null,
  created_at timestamptz not null default now()
);
