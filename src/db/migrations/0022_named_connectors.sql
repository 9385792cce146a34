-- An organization has several connectors. Subscribers without a name use the one named s3. During an upgrade, an older
-- process delivers with any of them, and cannot change connectors, because its statement needs the old key.
alter table s3_connectors
  drop constraint s3_connectors_pkey,
  add column name text not null default 's3' check (name ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
  -- How the server encrypts and stores objects. Null: the default of the bucket.
  add column encryption text check (encryption in ('AES256', 'aws:kms')),
  add column kms_key_id text,
  add column storage_class text,
  add primary key (organization_id, name);

alter table subscribers
  -- The name of a connector. It is no reference, because the connector may be removed.
  add column s3_connector text;
