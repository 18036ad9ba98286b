select outcome from fence.admit(array[($1, $2, $3)::fence.permit], 'reserve', $4, '1 s')
