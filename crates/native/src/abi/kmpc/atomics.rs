//! `__kmpc_atomic_*`: the atomic updates that libomp offers as functions, for compilers that call them.

use super::Loc;
use crate::detect::detector;
use crate::detect::detector::Manner;
use crate::search;
use raceproof_core::event::AccessKind;
use std::arch::naked_asm;

fn update<T: Copy>(at: *mut T, pc: usize, with: impl FnOnce(T) -> T) -> (T, T) {
    search::atomic(at as usize, size_of::<T>(), AccessKind::Write, pc);
    detector().access(at as usize, size_of::<T>(), AccessKind::Write, Manner::Atomic, pc);
    // SAFETY: what the program asked for; no other thread runs, so that plain accesses are atomic.
    unsafe {
        let before = at.read_volatile();
        let after = with(before);
        at.write_volatile(after);
        (before, after)
    }
}

macro_rules! updates {
    ($($type:ident { $($name:ident $noted:ident: $with:expr;)* })*) => { $( $(
        extern "C" fn $noted(_: Loc, _: i32, at: *mut $type, value: $type) {
            let with: fn($type, $type) -> $type = $with;
            update(at, super::caller(), |before| with(before, value));
        }

        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() {
            naked_asm!("mov rax, [rsp]", "mov [rip + {caller}], rax", "jmp {target}",
                caller = sym super::CALLER, target = sym $noted)
        }
    )* )* };
}

updates! {
    i8 {
        __kmpc_atomic_fixed1_add fixed1_add: |a, b| a.wrapping_add(b);
        __kmpc_atomic_fixed1_sub fixed1_sub: |a, b| a.wrapping_sub(b);
        __kmpc_atomic_fixed1_mul fixed1_mul: |a, b| a.wrapping_mul(b);
        __kmpc_atomic_fixed1_andb fixed1_andb: |a, b| a & b;
        __kmpc_atomic_fixed1_orb fixed1_orb: |a, b| a | b;
        __kmpc_atomic_fixed1_xor fixed1_xor: |a, b| a ^ b;
        __kmpc_atomic_fixed1_wr fixed1_wr: |_, b| b;
    }
    i16 {
        __kmpc_atomic_fixed2_add fixed2_add: |a, b| a.wrapping_add(b);
        __kmpc_atomic_fixed2_sub fixed2_sub: |a, b| a.wrapping_sub(b);
        __kmpc_atomic_fixed2_mul fixed2_mul: |a, b| a.wrapping_mul(b);
        __kmpc_atomic_fixed2_andb fixed2_andb: |a, b| a & b;
        __kmpc_atomic_fixed2_orb fixed2_orb: |a, b| a | b;
        __kmpc_atomic_fixed2_xor fixed2_xor: |a, b| a ^ b;
        __kmpc_atomic_fixed2_wr fixed2_wr: |_, b| b;
    }
    i32 {
        __kmpc_atomic_fixed4_add fixed4_add: |a, b| a.wrapping_add(b);
        __kmpc_atomic_fixed4_sub fixed4_sub: |a, b| a.wrapping_sub(b);
        __kmpc_atomic_fixed4_mul fixed4_mul: |a, b| a.wrapping_mul(b);
        __kmpc_atomic_fixed4_div fixed4_div: |a, b| a.wrapping_div(b);
        __kmpc_atomic_fixed4_andb fixed4_andb: |a, b| a & b;
        __kmpc_atomic_fixed4_orb fixed4_orb: |a, b| a | b;
        __kmpc_atomic_fixed4_xor fixed4_xor: |a, b| a ^ b;
        __kmpc_atomic_fixed4_shl fixed4_shl: |a, b| a.wrapping_shl(b as u32);
        __kmpc_atomic_fixed4_shr fixed4_shr: |a, b| a.wrapping_shr(b as u32);
        __kmpc_atomic_fixed4_min fixed4_min: |a, b| a.min(b);
        __kmpc_atomic_fixed4_max fixed4_max: |a, b| a.max(b);
        __kmpc_atomic_fixed4_wr fixed4_wr: |_, b| b;
    }
    i64 {
        __kmpc_atomic_fixed8_add fixed8_add: |a, b| a.wrapping_add(b);
        __kmpc_atomic_fixed8_sub fixed8_sub: |a, b| a.wrapping_sub(b);
        __kmpc_atomic_fixed8_mul fixed8_mul: |a, b| a.wrapping_mul(b);
        __kmpc_atomic_fixed8_div fixed8_div: |a, b| a.wrapping_div(b);
        __kmpc_atomic_fixed8_andb fixed8_andb: |a, b| a & b;
        __kmpc_atomic_fixed8_orb fixed8_orb: |a, b| a | b;
        __kmpc_atomic_fixed8_xor fixed8_xor: |a, b| a ^ b;
        __kmpc_atomic_fixed8_shl fixed8_shl: |a, b| a.wrapping_shl(b as u32);
        __kmpc_atomic_fixed8_shr fixed8_shr: |a, b| a.wrapping_shr(b as u32);
        __kmpc_atomic_fixed8_min fixed8_min: |a, b| a.min(b);
        __kmpc_atomic_fixed8_max fixed8_max: |a, b| a.max(b);
        __kmpc_atomic_fixed8_wr fixed8_wr: |_, b| b;
    }
    f32 {
        __kmpc_atomic_float4_add float4_add: |a, b| a + b;
        __kmpc_atomic_float4_sub float4_sub: |a, b| a - b;
        __kmpc_atomic_float4_mul float4_mul: |a, b| a * b;
        __kmpc_atomic_float4_div float4_div: |a, b| a / b;
        __kmpc_atomic_float4_min float4_min: |a, b| a.min(b);
        __kmpc_atomic_float4_max float4_max: |a, b| a.max(b);
        __kmpc_atomic_float4_wr float4_wr: |_, b| b;
    }
    f64 {
        __kmpc_atomic_float8_add float8_add: |a, b| a + b;
        __kmpc_atomic_float8_sub float8_sub: |a, b| a - b;
        __kmpc_atomic_float8_mul float8_mul: |a, b| a * b;
        __kmpc_atomic_float8_div float8_div: |a, b| a / b;
        __kmpc_atomic_float8_min float8_min: |a, b| a.min(b);
        __kmpc_atomic_float8_max float8_max: |a, b| a.max(b);
        __kmpc_atomic_float8_wr float8_wr: |_, b| b;
    }
}
