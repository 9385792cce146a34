-- Creative files that clients stored. Ads refer to them.
create table uploads (
  id uuid primary key,
  organization_id uuid not null references organizations,
  -- The file name, without folders. It may say the size of the creative.
  name text not null,
  -- These are null until all bytes are stored.
  format text,
  content_type text,
  bytes integer,
  sha256 text,
  created_at timestamptz not null default now(),
  -- The upload is removed after this time. Null if an ad uses it: then it stays.
  expires_at timestamptz
);
create index on uploads (organization_id, created_at desc, id);
create index on uploads (organization_id, sha256) where sha256 is not null;
create index on uploads (expires_at) where expires_at is not null;

alter table ads add column upload_id uuid references uploads;
create index on ads (upload_id) where upload_id is not null;
alter table ads drop constraint ads_kind_check;
alter table ads add constraint ads_kind_check check (kind in ('url', 'html_tag', 'upload'));
alter table ads add constraint ads_upload_check check ((kind = 'upload') = (upload_id is not null));

-- The thumbnail of a tall picture shows the part with the ad, which the record of its screenshot names.
create index on screenshots (image_token) where image_token is not null;
