-- Token buckets that all processes of the API share. The table is unlogged because a crash may empty it: all buckets are then full.
create unlogged table rate_buckets (
  key text primary key,
  -- When the bucket is full again. A bucket without a row is full.
  full_at timestamptz not null,
  -- Tokens that the last call got.
  granted double precision not null
) with (fillfactor = 50);
