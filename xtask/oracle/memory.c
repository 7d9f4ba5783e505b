/* The arena: objects and locks of the program under test, to be put back as they were. */

#include <string.h>

#include "runtime.h"

enum { BLOCKS = 64 };

static struct arena {
    size_t used;            /* cells */
    int blocks;
    struct block {
        size_t first, size; /* its first cell; bytes */
        bool freed;
    } block[BLOCKS];
    unsigned char owner[CELLS];
    struct lock lock[CELLS];
    _Alignas(16) unsigned char bytes[CELLS * CELL];
} now, kept;

void *arena_allocate(size_t size)
{
    size_t cells = (size + CELL - 1) / CELL;
    /* Objects begin where malloc lets them begin, and never touch each other. */
    size_t first = (now.used + 3) & ~(size_t)1;
    if (now.blocks == BLOCKS || first + cells > CELLS)
        die("more objects than the oracle has room for");
    now.block[now.blocks] = (struct block){ first, size, false };
    memset(now.owner + first, now.blocks, cells);
    /* A value that nobody wrote is no pointer. */
    memset(now.bytes + first * CELL, 0xa5, cells * CELL);
    memset(now.lock + first, 0, cells * sizeof *now.lock);
    now.blocks++;
    now.used = first + cells;
    return now.bytes + first * CELL;
}

int arena_cell(uintptr_t address)
{
    uintptr_t offset = address - (uintptr_t)now.bytes;
    return offset < sizeof now.bytes ? (int)(offset / CELL) : NOBODY;
}

static struct block *block_of(uintptr_t address)
{
    int cell = arena_cell(address);
    if (cell == NOBODY || (size_t)cell >= now.used || now.blocks == 0)
        return NULL;
    struct block *block = &now.block[now.owner[cell]];
    uintptr_t start = (uintptr_t)now.bytes + block->first * CELL;
    return address - start < block->size ? block : NULL;
}

bool arena_live(uintptr_t address, size_t size)
{
    const struct block *block = block_of(address);
    uintptr_t start = block == NULL ? 0 : (uintptr_t)now.bytes + block->first * CELL;
    return block != NULL && !block->freed && address - start + size <= block->size;
}

size_t arena_object(uintptr_t address)
{
    const struct block *block = block_of(address);
    bool begins = block != NULL && (uintptr_t)now.bytes + block->first * CELL == address;
    return begins ? block->size : 0;
}

void arena_free(uintptr_t address)
{
    struct block *block = block_of(address);
    if (block != NULL)
        block->freed = true;
}

struct lock *arena_lock(uintptr_t address)
{
    int cell = arena_cell(address);
    if (cell == NOBODY)
        die("a lock outside of the heap");
    return &now.lock[cell];
}

static void copy(struct arena *to, const struct arena *from)
{
    to->used = from->used;
    to->blocks = from->blocks;
    memcpy(to->block, from->block, (size_t)from->blocks * sizeof *from->block);
    memcpy(to->owner, from->owner, from->used);
    memcpy(to->lock, from->lock, from->used * sizeof *from->lock);
    memcpy(to->bytes, from->bytes, from->used * CELL);
}

void arena_clear(void)
{
    now.used = 0;
    now.blocks = 0;
}

void arena_keep(void)
{
    copy(&kept, &now);
}

void arena_restore(void)
{
    copy(&now, &kept);
}
