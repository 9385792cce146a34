-- The inbox reads the newest answers of all clients of an organization.
create index on share_answers (organization_id, created_at desc);
