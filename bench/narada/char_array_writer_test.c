#include "char_array_writer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    struct writer *w = writer_new();
    struct writer *out = writer_new();
    assert(w && out);

    assert(writer_write_char(w, 'a'));
    assert(writer_write_buffer(w, "xbcx", 1, 2));
    assert(writer_write_string(w, "xxdexx", 2, 2));
    assert(writer_append_string(w, "fg") == w);
    assert(writer_append_part(w, "xhix", 1, 3) == w);
    assert(writer_append_char(w, 'j') == w);
    assert(writer_size(w) == 10);

    assert(writer_write_to(w, out));
    writer_flush(out);
    writer_close(out);
    char *string = writer_to_string(out);
    assert(string && strcmp(string, "abcdefghij") == 0);
    free(string);

    size_t count = 0;
    char *chars = writer_to_char_array(w, &count);
    assert(chars && count == 10 && memcmp(chars, "abcdefghij", 10) == 0);
    free(chars);

    writer_reset(w);
    assert(writer_size(w) == 0);

    writer_free(w);
    writer_free(out);
    return 0;
}
