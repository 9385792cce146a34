-- A connector has an access key, or a role that the service assumes. The external id is the id of the organization.
-- During an upgrade, an older process cannot show or use connectors of an organization that has one with a role.
alter table s3_connectors
  add column role_arn text,
  alter column access_key_id drop not null,
  alter column secret_access_key drop not null,
  add check ((access_key_id is null) = (role_arn is not null)),
  add check ((secret_access_key is null) = (access_key_id is null));
