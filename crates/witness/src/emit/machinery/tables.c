/* The tables of what stands above. */
#define RADDLE_STEP(thread, what, size, file, line, column, pick, text) \
    {RADDLE_THREAD_##thread, RADDLE_DOES_##what, size, {file, line, column}, pick, text},
static const struct raddle_step raddle_schedule[] = {
    RADDLE_SCHEDULE(RADDLE_STEP)
    {-1, 0, 0, {"", 0, 0}, -1, ""}, /* the end */
};

#define RADDLE_GIVEN(name, bytes, size) {name, size, bytes},
__attribute__((unused)) static const struct raddle_input raddle_inputs[] = {
    RADDLE_INPUTS(RADDLE_GIVEN)
    {"", 0, ""}, /* the end */
};

#define RADDLE_SITE(kind, file, line, column) {kind, {file, line, column}},
static const struct raddle_site raddle_sites[] = {
    RADDLE_SITES(RADDLE_SITE)
    {0, {"", 0, 0}}, /* the end */
};

#define RADDLE_ACCESS(thread, kind, file, line, column) {thread, kind, 0, {file, line, column}},
static const struct raddle_access raddle_shown[] = {
    RADDLE_SHOWN(RADDLE_ACCESS)
    {-1, 0, 0, {"", 0, 0}}, /* the end */
};

#define RADDLE_BLOCKED(thread, file, line, column, holds, waits_for) {thread, {file, line, column}, holds, waits_for},
static const struct raddle_blocked raddle_deadlock[] = {
    {-1, {"", 0, 0}, "", ""}, /* before the first */
    RADDLE_DEADLOCK(RADDLE_BLOCKED)
};
