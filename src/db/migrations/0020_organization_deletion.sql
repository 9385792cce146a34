-- Deleting an organization. Its row stays without content, because the ids of removed objects refer to it.
alter table organizations
  -- Since then its keys are revoked, and a command removes what it has.
  add column deletion_started_at timestamptz,
  -- Since then nothing is left but ids, and its slug is free.
  add column deleted_at timestamptz;
-- Subscribers of test events, which belong to no set or ad.
create index on subscribers (organization_id) where ad_id is null and set_id is null;
-- The last step looks for pictures that no other step found.
create index on images (organization_id) where artifact_key <> '';
