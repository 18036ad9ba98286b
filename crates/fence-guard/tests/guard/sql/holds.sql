-- A consumer of openings: what it has on hold refers to the opening that it was made under, and is void once that
-- opening was taken over.
create schema holds;
create table holds.hold (resource text not null, fence bigint not null);
create function holds.refers_to(p_resource text, p_fence bigint) returns boolean language sql stable as $$
    select exists (select from holds.hold h where h.resource = p_resource and h.fence = p_fence)
$$;
create view holds.void as
    select h.* from holds.hold h
    where exists (select from fence.opening o
                  where o.resource = h.resource and o.previous_fence = h.fence and o.takeover);
select fence.keep_openings_by('holds.refers_to');
