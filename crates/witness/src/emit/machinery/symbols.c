//: part symbols
/* Static objects and functions have no name outside of their source file, but the symbol table of this program lists
 * them. */
extern const char raddle_image[] __asm__("__ehdr_start") __attribute__((visibility("hidden")));

RADDLE_QUIET static char *raddle_symbol(const char *name)
{
    enum { SYMBOL_TABLE = 2, SYMBOL_SIZE = 24, SECTION_SIZE = 64, POSITION_INDEPENDENT = 3 };
    static char *file;
    if (!file) {
        FILE *self = fopen("/proc/self/exe", "rb");
        long size = self && fseek(self, 0, SEEK_END) == 0 ? ftell(self) : 0;
        file = size > 0 ? malloc((size_t)size) : NULL;
        if (!file || fseek(self, 0, SEEK_SET) != 0 || fread(file, 1, (size_t)size, self) != (size_t)size)
            raddle_lost("the test cannot read its own symbols");
        fclose(self);
    }
    const char *sections = file + *(uint64_t *)(file + 40);
    unsigned count = *(uint16_t *)(file + 60);
    for (unsigned i = 0; i < count; i++) {
        const char *section = sections + i * SECTION_SIZE;
        if (*(uint32_t *)(section + 4) != SYMBOL_TABLE)
            continue;
        const char *symbols = file + *(uint64_t *)(section + 24);
        uint64_t size = *(uint64_t *)(section + 32);
        const char *strings = file + *(uint64_t *)(sections + *(uint32_t *)(section + 40) * SECTION_SIZE + 24);
        for (uint64_t at = 0; at + SYMBOL_SIZE <= size; at += SYMBOL_SIZE) {
            const char *symbol = symbols + at;
            /* Index 0 of a section means that the symbol is defined elsewhere. */
            if (*(uint16_t *)(symbol + 6) != 0 && raddle_same_text(strings + *(uint32_t *)symbol, name)) {
                int moved = *(uint16_t *)(file + 16) == POSITION_INDEPENDENT;
                return (moved ? (char *)raddle_image : NULL) + *(uint64_t *)(symbol + 8);
            }
        }
    }
    raddle_lost("the program has no symbol of a name that the witness knows");
    return NULL;
}
