-- The audit goes through the pending ads page by page, however many wait.
create index on ads (id) where status = 'pending';
