-- One by one: `create index concurrently` lets other processes write while it runs, and cannot be in a transaction.

-- Marks of an object for lists that are filtered by metadata: one for the organization, and one for each pair. The length
-- says where the key ends. An array has statistics of its elements, which jsonb and partial indexes lack. The cost makes
-- PostgreSQL use the index for rare pairs, and the order of the list for common ones.
create or replace function metadata_marks(organization_id uuid, metadata jsonb) returns text[]
  language sql immutable parallel safe cost 10000
  return array(select md5(length(key) || ':' || key || value) from jsonb_each_text(metadata)) || organization_id::text;

create index concurrently if not exists ads_metadata on ads
  using gin (metadata_marks(organization_id, metadata));
create index concurrently if not exists screenshot_sets_metadata on screenshot_sets
  using gin (metadata_marks(organization_id, metadata));
