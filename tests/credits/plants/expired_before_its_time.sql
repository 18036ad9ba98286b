-- S8: a hold that is said to have expired, a moment before it does.
update credit.hold
set resolution = 'expired', resolved_by = null, resolved_fence = null, resolved_holder = null,
    expires_at = resolved_at + interval '1 us'
where resolution = 'released';
