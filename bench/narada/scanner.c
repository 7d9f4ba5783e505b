#include "scanner.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define INITIAL_CAPACITY 16

struct scanner {
    pthread_mutex_t lock;
    const char *text;
    size_t limit;
    size_t position;
    int line_number;
    size_t token_position;
    enum scan_type token_type;
    char *token;                    /* ends with a null character, which token_length does not count */
    size_t token_length;
    size_t token_capacity;
    double value;
    bool is_delimited;
    bool is_keyword;
    bool is_malformed;
    bool is_after_space;
};

static const char *const keywords[] = {
    "ALL", "AND", "AS", "BETWEEN", "BY", "CASE", "CREATE", "DELETE", "DISTINCT", "DROP", "ELSE", "END",
    "EXISTS", "FALSE", "FROM", "GROUP", "HAVING", "IN", "INSERT", "INTO", "IS", "JOIN", "LIKE", "NOT",
    "NULL", "ON", "OR", "ORDER", "SELECT", "SET", "TABLE", "THEN", "TRUE", "UNION", "UPDATE", "VALUES",
    "WHEN", "WHERE", "WITH"
};

static const char *const double_operators[] = {"<>", "<=", ">=", "!=", "||", "::"};

static const char single_operators[] = "()+-*/=<>,.;:?[]%";

/* Characters.  SQL text is ASCII but for its strings, delimited identifiers and comments. */

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static char upper_case(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

/* Returns the character that is `ahead` of the position, or a null character if the text ends before. */
static char peek(const struct scanner *scanner, size_t ahead)
{
    if (ahead >= scanner->limit - scanner->position)
        return '\0';
    return scanner->text[scanner->position + ahead];
}

static bool at_end(const struct scanner *scanner)
{
    return scanner->position == scanner->limit;
}

static void advance(struct scanner *scanner)
{
    if (scanner->text[scanner->position] == '\n')
        scanner->line_number++;
    scanner->position++;
}

/* Tokens. */

static void clear_token(struct scanner *scanner)
{
    scanner->token_type = SCAN_NONE;
    scanner->token[0] = '\0';
    scanner->token_length = 0;
    scanner->value = 0;
    scanner->is_delimited = false;
    scanner->is_keyword = false;
    scanner->is_malformed = false;
}

static void start_token(struct scanner *scanner)
{
    clear_token(scanner);
    scanner->token_position = scanner->position;
}

/* Always returns false. */
static bool malformed(struct scanner *scanner)
{
    scanner->token_type = SCAN_MALFORMED;
    scanner->is_malformed = true;
    return false;
}

static bool end_token(struct scanner *scanner, enum scan_type type)
{
    scanner->token_type = type;
    return true;
}

static bool append(struct scanner *scanner, char c)
{
    if (scanner->token_length + 1 == scanner->token_capacity) {
        char *token = realloc(scanner->token, 2 * scanner->token_capacity);

        if (token == NULL)
            return false;
        scanner->token = token;
        scanner->token_capacity *= 2;
    }
    scanner->token[scanner->token_length++] = c;
    scanner->token[scanner->token_length] = '\0';
    return true;
}

/* Moves the character at the position to the token. */
static bool take(struct scanner *scanner)
{
    bool ok = append(scanner, peek(scanner, 0));

    advance(scanner);
    return ok;
}

static bool take_digits(struct scanner *scanner)
{
    while (is_digit(peek(scanner, 0)))
        if (!take(scanner))
            return false;
    return true;
}

/* Scans what is between two quotes; a quote in there is doubled. */
static bool take_quoted(struct scanner *scanner, char quote)
{
    advance(scanner);
    while (!at_end(scanner)) {
        if (peek(scanner, 0) == quote) {
            advance(scanner);
            if (peek(scanner, 0) != quote)
                return true;
        }
        if (!take(scanner))
            return false;
    }
    return false;
}

static bool find_keyword(const char *token)
{
    size_t low = 0, high = sizeof keywords / sizeof keywords[0];

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(token, keywords[middle]);

        if (order == 0)
            return true;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return false;
}

static bool skip_line_comment(struct scanner *scanner)
{
    while (!at_end(scanner) && peek(scanner, 0) != '\n')
        advance(scanner);
    return true;
}

static bool skip_block_comment(struct scanner *scanner)
{
    size_t start = scanner->position;

    advance(scanner);
    advance(scanner);
    while (!at_end(scanner)) {
        if (peek(scanner, 0) == '*' && peek(scanner, 1) == '/') {
            advance(scanner);
            advance(scanner);
            return true;
        }
        advance(scanner);
    }
    clear_token(scanner);
    scanner->token_position = start;
    return malformed(scanner);
}

static void start_on(struct scanner *scanner, const char *text)
{
    scanner->text = text;
    scanner->limit = strlen(text);
    scanner->position = 0;
    scanner->line_number = 1;
    scanner->is_after_space = false;
    start_token(scanner);
}

static bool scan_any(struct scanner *scanner)
{
    char c;

    clear_token(scanner);
    scanner->is_after_space = false;
    while (scan_whitespace(scanner) || scan_comment(scanner))
        continue;
    if (scanner->is_malformed || scan_end(scanner))
        return false;
    c = peek(scanner, 0);
    if (is_letter(c) || c == '"')
        return scan_identifier(scanner);
    if (is_digit(c) || (c == '.' && is_digit(peek(scanner, 1))))
        return scan_number(scanner);
    if (c == '\'')
        return scan_string(scanner);
    if (scan_operator(scanner))
        return true;
    start_token(scanner);
    take(scanner);
    return malformed(scanner);
}

/* Scans a text that is one number, with a sign or without. */
static bool scan_only_number(struct scanner *scanner, bool *negative)
{
    scan_whitespace(scanner);
    *negative = peek(scanner, 0) == '-';
    if (*negative || peek(scanner, 0) == '+')
        advance(scanner);
    if (!scan_number(scanner))
        return false;
    scan_whitespace(scanner);
    return at_end(scanner);
}

static bool parse_integer(const char *digits, bool negative, long long *number)
{
    long long result = 0;

    for (; *digits != '\0'; digits++) {
        int digit = *digits - '0';

        if (negative ? result < (LLONG_MIN + digit) / 10 : result > (LLONG_MAX - digit) / 10)
            return false;
        result = 10 * result + (negative ? -digit : digit);
    }
    *number = result;
    return true;
}

/* The functions of scanners. */

struct scanner *scan_new(const char *text)
{
    struct scanner *scanner = calloc(1, sizeof *scanner);

    if (scanner == NULL)
        return NULL;
    scanner->token = malloc(INITIAL_CAPACITY);
    if (scanner->token == NULL || pthread_mutex_init(&scanner->lock, NULL) != 0) {
        free(scanner->token);
        free(scanner);
        return NULL;
    }
    scanner->token_capacity = INITIAL_CAPACITY;
    start_on(scanner, text);
    return scanner;
}

void scan_free(struct scanner *scanner)
{
    if (scanner == NULL)
        return;
    pthread_mutex_destroy(&scanner->lock);
    free(scanner->token);
    free(scanner);
}

void scan_reset(struct scanner *scanner, const char *text)
{
    pthread_mutex_lock(&scanner->lock);
    start_on(scanner, text);
    pthread_mutex_unlock(&scanner->lock);
}

bool scan_next(struct scanner *scanner)
{
    bool ok;

    pthread_mutex_lock(&scanner->lock);
    ok = scan_any(scanner);
    pthread_mutex_unlock(&scanner->lock);
    return ok;
}

bool scan_end(struct scanner *scanner)
{
    if (!at_end(scanner))
        return false;
    start_token(scanner);
    return end_token(scanner, SCAN_END);
}

bool scan_whitespace(struct scanner *scanner)
{
    if (!is_space(peek(scanner, 0)))
        return false;
    while (is_space(peek(scanner, 0)))
        advance(scanner);
    scanner->is_after_space = true;
    return true;
}

bool scan_comment(struct scanner *scanner)
{
    bool ok;

    if (peek(scanner, 0) == '-' && peek(scanner, 1) == '-')
        ok = skip_line_comment(scanner);
    else if (peek(scanner, 0) == '/' && peek(scanner, 1) == '*')
        ok = skip_block_comment(scanner);
    else
        return false;
    scanner->is_after_space = true;
    return ok;
}

bool scan_number(struct scanner *scanner)
{
    enum scan_type type = SCAN_INTEGER;
    char sign;

    if (!is_digit(peek(scanner, 0)) && !(peek(scanner, 0) == '.' && is_digit(peek(scanner, 1))))
        return false;
    start_token(scanner);
    if (!take_digits(scanner))
        return malformed(scanner);
    if (peek(scanner, 0) == '.') {
        type = SCAN_DECIMAL;
        if (!take(scanner) || !take_digits(scanner))
            return malformed(scanner);
    }
    if (upper_case(peek(scanner, 0)) == 'E') {
        type = SCAN_FLOAT;
        sign = peek(scanner, 1);
        if (!take(scanner) || ((sign == '+' || sign == '-') && !take(scanner)))
            return malformed(scanner);
        if (!is_digit(peek(scanner, 0)) || !take_digits(scanner))
            return malformed(scanner);
    }
    if (is_letter(peek(scanner, 0)))
        return malformed(scanner);
    scanner->value = strtod(scanner->token, NULL);
    return end_token(scanner, type);
}

bool scan_string(struct scanner *scanner)
{
    if (peek(scanner, 0) != '\'')
        return false;
    start_token(scanner);
    if (!take_quoted(scanner, '\''))
        return malformed(scanner);
    return end_token(scanner, SCAN_STRING);
}

bool scan_identifier(struct scanner *scanner)
{
    if (peek(scanner, 0) == '"') {
        start_token(scanner);
        if (!take_quoted(scanner, '"') || scanner->token_length == 0)
            return malformed(scanner);
        scanner->is_delimited = true;
        return end_token(scanner, SCAN_IDENTIFIER);
    }
    if (!is_letter(peek(scanner, 0)))
        return false;
    start_token(scanner);
    while (is_letter(peek(scanner, 0)) || is_digit(peek(scanner, 0))) {
        if (!append(scanner, upper_case(peek(scanner, 0))))
            return malformed(scanner);
        advance(scanner);
    }
    scanner->is_keyword = find_keyword(scanner->token);
    return end_token(scanner, SCAN_IDENTIFIER);
}

bool scan_operator(struct scanner *scanner)
{
    char c = peek(scanner, 0);

    for (size_t i = 0; i < sizeof double_operators / sizeof double_operators[0]; i++) {
        if (c == double_operators[i][0] && peek(scanner, 1) == double_operators[i][1]) {
            start_token(scanner);
            if (!take(scanner) || !take(scanner))
                return malformed(scanner);
            return end_token(scanner, SCAN_OPERATOR);
        }
    }
    if (c == '\0' || strchr(single_operators, c) == NULL)
        return false;
    start_token(scanner);
    if (!take(scanner))
        return malformed(scanner);
    return end_token(scanner, SCAN_OPERATOR);
}

size_t scan_get_token(struct scanner *scanner, char *buffer, size_t size)
{
    size_t length = scanner->token_length;

    if (size > 0) {
        size_t copied = length < size ? length : size - 1;

        memcpy(buffer, scanner->token, copied);
        buffer[copied] = '\0';
    }
    return length;
}

enum scan_type scan_get_token_type(struct scanner *scanner)
{
    return scanner->token_type;
}

bool scan_get_value(struct scanner *scanner, double *value)
{
    enum scan_type type = scanner->token_type;

    if (type != SCAN_INTEGER && type != SCAN_DECIMAL && type != SCAN_FLOAT)
        return false;
    *value = scanner->value;
    return true;
}

size_t scan_get_position(struct scanner *scanner)
{
    return scanner->position;
}

size_t scan_get_token_position(struct scanner *scanner)
{
    return scanner->token_position;
}

size_t scan_get_limit(struct scanner *scanner)
{
    return scanner->limit;
}

int scan_get_line_number(struct scanner *scanner)
{
    return scanner->line_number;
}

bool scan_position(struct scanner *scanner, size_t position)
{
    if (position > scanner->limit)
        return false;
    scanner->position = 0;
    scanner->line_number = 1;
    while (scanner->position < position)
        advance(scanner);
    scanner->is_after_space = false;
    start_token(scanner);
    return true;
}

bool scan_get_part(struct scanner *scanner, size_t from, size_t to, char *buffer, size_t size)
{
    if (from > to || to > scanner->limit || to - from >= size)
        return false;
    memcpy(buffer, scanner->text + from, to - from);
    buffer[to - from] = '\0';
    return true;
}

bool scan_convert_to_int(struct scanner *scanner, const char *text, long long *number)
{
    bool ok, negative;

    pthread_mutex_lock(&scanner->lock);
    start_on(scanner, text);
    ok = scan_only_number(scanner, &negative) && scanner->token_type == SCAN_INTEGER &&
         parse_integer(scanner->token, negative, number);
    pthread_mutex_unlock(&scanner->lock);
    return ok;
}

bool scan_convert_to_double(struct scanner *scanner, const char *text, double *number)
{
    bool ok, negative;

    pthread_mutex_lock(&scanner->lock);
    start_on(scanner, text);
    ok = scan_only_number(scanner, &negative);
    if (ok)
        *number = negative ? -scanner->value : scanner->value;
    pthread_mutex_unlock(&scanner->lock);
    return ok;
}

bool scan_is_delimited(struct scanner *scanner)
{
    return scanner->is_delimited;
}

bool scan_is_keyword(struct scanner *scanner)
{
    return scanner->is_keyword;
}

bool scan_is_literal(struct scanner *scanner)
{
    switch (scanner->token_type) {
    case SCAN_INTEGER:
    case SCAN_DECIMAL:
    case SCAN_FLOAT:
    case SCAN_STRING:
        return true;
    default:
        return false;
    }
}

bool scan_is_malformed(struct scanner *scanner)
{
    return scanner->is_malformed;
}

bool scan_is_after_space(struct scanner *scanner)
{
    return scanner->is_after_space;
}
