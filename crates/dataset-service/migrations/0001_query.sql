-- What customers have asked, and what they were answered. The service's own table, in its own schema.
--
-- A row is made when credits are held for a query, and gets its answer in the very transaction that captures them:
-- it is answered if and only if it is paid for. What was asked and has no answer was given up, and cost nothing.
create table dataset.query (
    -- The id of the request: a UUID made of the user and the Idempotency-Key.
    request uuid primary key,
    resource text not null,
    -- What a request with the same key has to ask again.
    asked jsonb not null,
    asked_at timestamptz not null default now(),
    -- The answer as it was sent, byte by byte, for whoever sends the same request again.
    answer text,
    answered_at timestamptz,
    constraint query_is_answered_at_a_moment check ((answer is null) = (answered_at is null))
);

-- From here on nobody writes a row of it who was not admitted for the row's resource: not a handler that has forgotten
-- to open, and not a hand at a keyboard.
select fence.protect('dataset.query', 'resource');
