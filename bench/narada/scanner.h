/*
 * Scanners that split SQL text into tokens.
 *
 * A text stays the caller's, who keeps it as long as a scanner scans it.  A scanner has a current position,
 * in front of which its current token ends.  Scanners are thread-safe.
 */
#ifndef SCANNER_H
#define SCANNER_H

#include <stdbool.h>
#include <stddef.h>

struct scanner;

enum scan_type {
    SCAN_NONE,              /* nothing was scanned yet */
    SCAN_END,               /* the end of the text */
    SCAN_IDENTIFIER,        /* a name or a keyword, made upper case unless it is delimited */
    SCAN_INTEGER,
    SCAN_DECIMAL,           /* a number with a point */
    SCAN_FLOAT,             /* a number with an exponent */
    SCAN_STRING,            /* a string, without its quotes */
    SCAN_OPERATOR,          /* an operator or a special character */
    SCAN_MALFORMED
};

/* Makes a scanner at the start of a text; returns NULL without memory. */
struct scanner *scan_new(const char *text);

/* Frees the scanner. */
void scan_free(struct scanner *scanner);

/* Makes the scanner start on a text. */
void scan_reset(struct scanner *scanner, const char *text);

/* Scans the next token, whichever it is; returns false at the end, and if the token is malformed. */
bool scan_next(struct scanner *scanner);

/* Scans the end of the text; returns false if there is more. */
bool scan_end(struct scanner *scanner);

/* Skips white space; returns whether there was some. */
bool scan_whitespace(struct scanner *scanner);

/* Skips one comment; returns whether there was one that is not malformed. */
bool scan_comment(struct scanner *scanner);

/* Scans a number without a sign; returns whether there is one that is not malformed. */
bool scan_number(struct scanner *scanner);

/* Scans a string; returns whether there is one that is not malformed. */
bool scan_string(struct scanner *scanner);

/* Scans an identifier, perhaps delimited by double quotes; returns whether there is a well-formed one. */
bool scan_identifier(struct scanner *scanner);

/* Scans an operator or a special character; returns whether there is one. */
bool scan_operator(struct scanner *scanner);

/* Copies the token to buffer, as much of it as there is room for, and returns its whole length. */
size_t scan_get_token(struct scanner *scanner, char *buffer, size_t size);

/* Returns the type of the token. */
enum scan_type scan_get_token_type(struct scanner *scanner);

/* Stores the value of the token; returns false if it is no number. */
bool scan_get_value(struct scanner *scanner, double *value);

/* Returns the current position. */
size_t scan_get_position(struct scanner *scanner);

/* Returns where the token begins. */
size_t scan_get_token_position(struct scanner *scanner);

/* Returns where the text ends. */
size_t scan_get_limit(struct scanner *scanner);

/* Returns the number of the line, from 1, of the current position. */
int scan_get_line_number(struct scanner *scanner);

/* Goes back, or forward, to a position, without a token; returns false if it is beyond the end. */
bool scan_position(struct scanner *scanner, size_t position);

/* Copies the text between two positions; returns false if they are not in order, or without room. */
bool scan_get_part(struct scanner *scanner, size_t from, size_t to, char *buffer, size_t size);

/* Starts on a text that is to be an integer, perhaps with a sign, and stores it; false if it is not. */
bool scan_convert_to_int(struct scanner *scanner, const char *text, long long *number);

/* Starts on a text that is to be a number, perhaps with a sign, and stores it; false if it is not. */
bool scan_convert_to_double(struct scanner *scanner, const char *text, double *number);

/* Returns whether the token is an identifier delimited by double quotes. */
bool scan_is_delimited(struct scanner *scanner);

/* Returns whether the token is a keyword. */
bool scan_is_keyword(struct scanner *scanner);

/* Returns whether the token is a number or a string. */
bool scan_is_literal(struct scanner *scanner);

/* Returns whether the token is malformed. */
bool scan_is_malformed(struct scanner *scanner);

/* Returns whether the token follows white space or a comment. */
bool scan_is_after_space(struct scanner *scanner);

#endif
