#include "char_array_reader.h"

#include <assert.h>
#include <string.h>

int main(void)
{
    char text[] = "a small reader";
    char word[5];
    int c;
    size_t count;
    bool ok;
    struct reader *reader = reader_new(text, 2, 12);

    assert(reader != NULL);

    ok = reader_mark_supported(reader);
    assert(ok);
    ok = reader_ready(reader);
    assert(ok);

    c = reader_read(reader);
    assert(c == 's');
    ok = reader_mark(reader);
    assert(ok);
    count = reader_skip(reader, 3);
    assert(count == 3);
    ok = reader_reset(reader);
    assert(ok);

    count = reader_read_into(reader, word, 4);
    assert(count == 4);
    word[count] = '\0';
    assert(strcmp(word, "mall") == 0);

    reader_close(reader);
    reader_free(reader);
    return 0;
}
