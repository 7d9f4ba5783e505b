#if !defined(__clang__) || !defined(__has_feature)
#error "this test needs clang: build it with the command in its first line"
#elif !__has_feature(thread_sanitizer)
#error "this test needs -fsanitize=thread: build it with the command in its first line"
#endif
#ifdef __OPTIMIZE__
#error "optimised code merges accesses: build this test with the command in its first line"
#endif
/* Fails to assemble without -g: the schedule is followed by line and column. Without --wrap=..., linking fails. */
__asm__(".pushsection .debug_raddle,\"\",@progbits\n\t.long .Lline_table_start0\n\t.popsection");
