-- What captures measured of a creative. Null: it was not rendered since it can be measured.
alter table ads add column facts jsonb;
-- {"initial_load_kb", "total_weight_kb", "requests": number or null, "switched_off": [rule, …]}
alter table organizations add column creative_check jsonb not null default '{}';
