-- What the controller needs on a cluster. Only added to, so that processes of the version before go on beside it.

-- Until then nothing is admitted, and nothing made again in the cluster: the installation is being removed from it.
alter table installation add column stopped_until timestamptz;

alter table screenshot_jobs
  -- When its first Job was made: the time to be scheduled begins.
  add column launched_at timestamptz,
  -- What the cluster said, where nothing of it could be started.
  add column problem text;

-- The oldest of each organization are read, however many wait behind them.
create index on screenshot_sets (organization_id, created_at, id) where status = 'draft' and cancel_requested_at is null;
create index on ads (organization_id, created_at, id) where status = 'pending' and source = 'create_ad';
