select fence.unprotect('inventory.reservation');
