//! `omp_*_lock`, and what clang calls in their place: the routines of [`locks`](crate::tasks::locks).

use super::entry;
use crate::tasks::locks::{Kind, destroy, init, set, test, unset};

macro_rules! routines {
    ($($name:ident => $target:ident $kmpc:ident => $kmpc_target:ident = $action:ident($kind:ident) $(-> $result:ty)?;)*) => {
        // Whoever waits for a lock, or misuses it, is reported with where it does.
        $( entry! { $name => $target; $kmpc => $kmpc_target; } )*
        $(
            extern "C" fn $target(lock: usize) $(-> $result)? { $action(lock, Kind::$kind) }
            extern "C" fn $kmpc_target(_: super::Loc, _: i32, lock: usize) $(-> $result)? { $action(lock, Kind::$kind) }
        )*
    };
}

routines! {
    omp_init_lock => omp_init __kmpc_init_lock => kmpc_init = init(Simple);
    omp_init_lock_with_hint => omp_init_hint __kmpc_init_lock_with_hint => kmpc_init_hint = init(Simple);
    omp_destroy_lock => omp_destroy __kmpc_destroy_lock => kmpc_destroy = destroy(Simple);
    omp_set_lock => omp_set __kmpc_set_lock => kmpc_set = set(Simple);
    omp_unset_lock => omp_unset __kmpc_unset_lock => kmpc_unset = unset(Simple);
    omp_test_lock => omp_test __kmpc_test_lock => kmpc_test = test(Simple) -> i32;
    omp_init_nest_lock => omp_nest_init __kmpc_init_nest_lock => kmpc_nest_init = init(Nested);
    omp_init_nest_lock_with_hint => omp_nest_init_hint __kmpc_init_nest_lock_with_hint => kmpc_nest_init_hint = init(Nested);
    omp_destroy_nest_lock => omp_nest_destroy __kmpc_destroy_nest_lock => kmpc_nest_destroy = destroy(Nested);
    omp_set_nest_lock => omp_nest_set __kmpc_set_nest_lock => kmpc_nest_set = set(Nested);
    omp_unset_nest_lock => omp_nest_unset __kmpc_unset_nest_lock => kmpc_nest_unset = unset(Nested);
    omp_test_nest_lock => omp_nest_test __kmpc_test_nest_lock => kmpc_nest_test = test(Nested) -> i32;
}
