-- A replay of a period is one transaction, so it has no row.
drop table event_replays;
