/* Happens-before by vector clocks, and the races that it leaves.
 *
 * Every access of an execution is remembered, not only the last ones: a pair counts whichever accesses lie between.
 */

#include <stdio.h>
#include <string.h>

#include "runtime.h"

enum { RECORDS = 1 << 14, RACES = 1 << 10, NO_RECORD = 0 };

/* An access, as far as it concerns one cell. */
struct record {
    const void *site;
    uintptr_t start, end;
    unsigned epoch;
    int next;
    signed char thread;
    enum kind kind;
};

struct race {
    const void *site[2];
    enum kind kind[2];
    bool settled;          /* on a heap that counts */
    int operation[THREADS];
};

extern const char __executable_start[], etext[];

static unsigned clocks[THREADS][THREADS];
static struct record records[RECORDS];
static int record_count;
static int newest[CELLS];
static struct race races[RACES];
static int race_count;
static unsigned char visible[1 << 20];

void order_reset(void)
{
    memset(clocks, 0, sizeof clocks);
    for (int thread = 0; thread < THREADS; thread++)
        clocks[thread][thread] = 1;
    record_count = 1;
    memset(newest, 0, sizeof newest);
}

void order_acquire(int thread, const unsigned clock[THREADS])
{
    for (int other = 0; other < THREADS; other++)
        if (clocks[thread][other] < clock[other])
            clocks[thread][other] = clock[other];
}

void order_release(int thread, unsigned clock[THREADS])
{
    for (int other = 0; other < THREADS; other++)
        if (clock[other] < clocks[thread][other])
            clock[other] = clocks[thread][other];
    clocks[thread][thread]++;
}

static unsigned char *visibility(const void *site)
{
    size_t offset = (size_t)((const char *)site - __executable_start);
    if (offset >= sizeof visible || (const char *)site >= etext)
        die("an access from outside of the program");
    return &visible[offset];
}

bool order_visible(const void *site)
{
    return *visibility(site) != 0;
}

static void add_race(const void *site, enum kind kind, const void *other_site, enum kind other_kind)
{
    bool swap = site > other_site || (site == other_site && kind > other_kind);
    struct race race = { { site, other_site }, { kind, other_kind }, false, { 0 } };
    if (swap)
        race = (struct race){ { other_site, site }, { other_kind, kind }, false, { 0 } };
    for (int i = 0; i < race_count; i++) {
        bool same_sites = races[i].site[0] == race.site[0] && races[i].site[1] == race.site[1];
        if (same_sites && races[i].kind[0] == race.kind[0] && races[i].kind[1] == race.kind[1])
            return;
    }
    if (race_count == RACES)
        die("more races than the oracle has room for");
    races[race_count++] = race;
}

static void access_cell(int thread, const void *site, int cell, uintptr_t start, uintptr_t end, enum kind kind)
{
    bool known = false;
    for (int at = newest[cell]; at != NO_RECORD; at = records[at].next) {
        const struct record *old = &records[at];
        if (old->start >= end || start >= old->end)
            continue;
        if (old->thread == thread) {
            bool same = old->site == site && old->kind == kind && old->start == start && old->end == end;
            known = known || (same && old->epoch == clocks[thread][thread]);
        } else if ((kind != READ || old->kind != READ) && old->epoch > clocks[thread][old->thread]) {
            add_race(site, kind, old->site, old->kind);
        }
    }
    if (known)
        return;
    if (record_count == RECORDS)
        die("more accesses in an execution than the oracle has room for");
    records[record_count] = (struct record){
        site, start, end, clocks[thread][thread], newest[cell], (signed char)thread, kind,
    };
    newest[cell] = record_count++;
}

void order_access(int thread, const void *site, uintptr_t address, size_t size, enum kind kind)
{
    for (uintptr_t start = address; start < address + size;) {
        uintptr_t end = (start / CELL + 1) * CELL;
        if (end > address + size)
            end = address + size;
        access_cell(thread, site, arena_cell(start), start, end, kind);
        start = end;
    }
}

bool order_settle(bool count, const int operation[THREADS])
{
    bool grown = false;
    int left = 0;
    for (int i = 0; i < race_count; i++) {
        if (!races[i].settled && !count)
            continue;
        if (!races[i].settled) {
            races[i].settled = true;
            memcpy(races[i].operation, operation, sizeof races[i].operation);
        }
        for (int side = 0; side < 2; side++) {
            unsigned char *shown = visibility(races[i].site[side]);
            grown = grown || *shown == 0;
            *shown = 1;
        }
        races[left++] = races[i];
    }
    race_count = left;
    return grown;
}

void order_print(void)
{
    static const char *const names[] = { "read", "write", "free" };
    for (int i = 0; i < race_count; i++) {
        const struct race *race = &races[i];
        /* A return address; the call ends one byte before. */
        printf("race %#lx %s %#lx %s %s %s\n", (unsigned long)(uintptr_t)race->site[0] - 1, names[race->kind[0]],
               (unsigned long)(uintptr_t)race->site[1] - 1, names[race->kind[1]],
               oracle_operations[race->operation[0]], oracle_operations[race->operation[1]]);
    }
}
