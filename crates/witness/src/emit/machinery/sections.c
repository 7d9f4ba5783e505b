//: define __VERIFIER_atomic_begin __VERIFIER_atomic_end
/* SV-COMP's atomic sections: the schedule keeps the others back. A function that is one is noticed as it is entered. */
static char raddle_sections;
void raddle_in_atomic_begin(void) __asm__("__VERIFIER_atomic_begin")
    __attribute__((weak, disable_sanitizer_instrumentation, unused, noinline));
void raddle_in_atomic_begin(void)
{
    raddle_action(RADDLE_CALL, 0, RADDLE_CALLER);
    __tsan_acquire(&raddle_sections);
}
void raddle_in_atomic_end(void) __asm__("__VERIFIER_atomic_end")
    __attribute__((weak, disable_sanitizer_instrumentation, unused, noinline));
void raddle_in_atomic_end(void) { __tsan_release(&raddle_sections); }

//: wrap __tsan_func_entry
extern void __real___tsan_func_entry(void *pc);
RADDLE_QUIET void __wrap___tsan_func_entry(void *pc)
{
    if (raddle_self)
        raddle_action(RADDLE_ENTER, 0, pc);
    __attribute__((musttail)) return __real___tsan_func_entry(pc);
}
