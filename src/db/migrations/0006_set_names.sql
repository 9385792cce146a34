-- A name that people give a set. Without one, the set has the name of its campaign and its date. Not valid: the rows of
-- the version before hold all the same, and a check of each would lock the table.
alter table screenshot_sets
  add column name text,
  add check (char_length(name) between 1 and 250) not valid;
