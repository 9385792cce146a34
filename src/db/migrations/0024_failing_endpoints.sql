-- The time of the first failed delivery attempt since the last success, and why the service disabled the endpoint. A reason
-- is null if a request disabled it.
alter table webhook_endpoints
  add column failing_since timestamptz,
  add column disabled_reason text;

-- The service itself acts when it disables an endpoint.
alter table audit_log drop constraint audit_log_actor_type_check;
alter table audit_log add constraint audit_log_actor_type_check
  check (actor_type in ('api_key', 'session', 'operator', 'anonymous', 'service'));
