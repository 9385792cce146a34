-- A capture that is done takes the next set at once, so it never waits for one.
alter table job_indexes drop column idle_since, drop column guests;
