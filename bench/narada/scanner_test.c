#include "scanner.h"

#include <assert.h>
#include <string.h>

int main(void)
{
    char buffer[16];
    double value = 0;
    long long number = 0;
    enum scan_type type;
    size_t length, position;
    int line;
    bool ok;
    struct scanner *scanner = scan_new("from \"t\" --x");

    assert(scanner != NULL);

    ok = scan_next(scanner);
    assert(ok);
    ok = scan_is_keyword(scanner);
    assert(ok);
    ok = scan_is_after_space(scanner);
    assert(!ok);
    length = scan_get_token(scanner, buffer, sizeof buffer);
    assert(length == 4 && strcmp(buffer, "FROM") == 0);
    ok = scan_whitespace(scanner);
    assert(ok);
    ok = scan_identifier(scanner);
    assert(ok);
    ok = scan_is_delimited(scanner);
    assert(ok);
    ok = scan_position(scanner, 9);
    assert(ok);
    ok = scan_comment(scanner);
    assert(ok);
    ok = scan_end(scanner);
    assert(ok);

    scan_reset(scanner, "2.5<=\n'it''s'");
    ok = scan_number(scanner);
    assert(ok);
    ok = scan_get_value(scanner, &value);
    assert(ok && value == 2.5);
    ok = scan_operator(scanner);
    assert(ok);
    type = scan_get_token_type(scanner);
    assert(type == SCAN_OPERATOR);
    position = scan_get_token_position(scanner);
    assert(position == 3);
    ok = scan_next(scanner);
    assert(ok);
    ok = scan_is_literal(scanner);
    assert(ok);
    line = scan_get_line_number(scanner);
    assert(line == 2);
    position = scan_get_position(scanner);
    assert(position == 13);
    position = scan_get_limit(scanner);
    assert(position == 13);
    ok = scan_get_part(scanner, 7, 9, buffer, sizeof buffer);
    assert(ok && strcmp(buffer, "it") == 0);

    scan_reset(scanner, "'a");
    ok = scan_string(scanner);
    assert(!ok);
    ok = scan_is_malformed(scanner);
    assert(ok);

    ok = scan_convert_to_int(scanner, " -42", &number);
    assert(ok && number == -42);
    ok = scan_convert_to_double(scanner, "1e2 ", &value);
    assert(ok && value == 100);

    scan_free(scanner);
    return 0;
}
