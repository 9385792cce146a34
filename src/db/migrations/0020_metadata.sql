-- Free pairs of texts that a client gives to ads and sets.
alter table ads add column metadata jsonb not null default '{}';
alter table screenshot_sets add column metadata jsonb not null default '{}';
