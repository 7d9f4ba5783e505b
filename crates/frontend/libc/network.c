/* Numbers and addresses as the network has them (POSIX <arpa/inet.h>), and its messages. Of addresses, those of IPv4.
 *
 * Provides: htonl htons ntohl ntohs inet_addr inet_aton inet_ntoa inet_ntop inet_pton gai_strerror */

enum { AF_INET = 2, AF_INET6 = 10, EAFNOSUPPORT = 97, ENOSPC = 28 };

uint32_t htonl(uint32_t n) { return __builtin_bswap32(n); }
uint16_t htons(uint16_t n) { return __builtin_bswap16(n); }
uint32_t ntohl(uint32_t n) { return __builtin_bswap32(n); }
uint16_t ntohs(uint16_t n) { return __builtin_bswap16(n); }

/* Digits in the C notation for numbers, which `inet_pton` does not take: with a prefix for base 8 or 16. What follows them;
 * NULL: no number. */
static const char *number(const char *at, int any_base, uint64_t *value)
{
    unsigned base = 10;
    const char *first = at;
    *value = 0;
    if (any_base && *at == '0') {
        base = 8;
        if (at[1] == 'x' || at[1] == 'X') {
            base = 16;
            first = at += 2;
        }
    }
    for (;; at++) {
        unsigned c = (unsigned char)*at;
        unsigned digit = c - '0' < 10 ? c - '0' : (c | 32) - 'a' < 6 ? (c | 32) - 'a' + 10 : 99;
        if (digit >= base)
            break;
        *value = *value * base + digit;
        if (*value > UINT32_MAX)
            return NULL;
    }
    return at == first ? NULL : at;
}

/* One to four parts, the last of which fills the bytes that are left; then a space or nothing. */
int inet_aton(const char *text, uint32_t *at)
{
    uint64_t parts[4];
    int count = 0;
    for (;;) {
        text = number(text, 1, &parts[count]);
        if (!text)
            return 0;
        count++;
        if (*text != '.' || count == 4)
            break;
        text++;
    }
    if (*text && !__raddle_is_space((unsigned char)*text))
        return 0;
    uint64_t most = UINT32_MAX >> 8 * (count - 1);
    uint32_t address = 0;
    for (int i = 0; i < count - 1; i++) {
        if (parts[i] > 255)
            return 0;
        address |= (uint32_t)parts[i] << (24 - 8 * i);
    }
    if (parts[count - 1] > most)
        return 0;
    if (at)
        *at = htonl(address | (uint32_t)parts[count - 1]);
    return 1;
}

uint32_t inet_addr(const char *text)
{
    uint32_t address;
    return inet_aton(text, &address) ? address : UINT32_MAX;
}

static size_t write_byte(char *to, unsigned byte)
{
    size_t n = 0;
    if (byte >= 100)
        to[n++] = (char)('0' + byte / 100);
    if (byte >= 10)
        to[n++] = (char)('0' + byte / 10 % 10);
    to[n++] = (char)('0' + byte % 10);
    return n;
}

static size_t write_address(char *to, const unsigned char *bytes)
{
    size_t n = 0;
    for (int i = 0; i < 4; i++) {
        n += write_byte(to + n, bytes[i]);
        to[n++] = i < 3 ? '.' : '\0';
    }
    return n;
}

/* Each thread has a text of its own, in the GNU C library. */
_Thread_local char __raddle_inet_ntoa[18];

char *inet_ntoa(uint32_t address)
{
    write_address(__raddle_inet_ntoa, (const unsigned char *)&address);
    return __raddle_inet_ntoa;
}

const char *inet_ntop(int family, const void *from, char *to, unsigned room)
{
    if (family == AF_INET6)
        __raddle_unsupported("inet_ntop for IPv6");
    if (family != AF_INET) {
        errno = EAFNOSUPPORT;
        return NULL;
    }
    char text[16];
    size_t n = write_address(text, from);
    if (n > room) {
        errno = ENOSPC;
        return NULL;
    }
    memcpy(to, text, n);
    return to;
}

int inet_pton(int family, const char *text, void *to)
{
    if (family == AF_INET6)
        __raddle_unsupported("inet_pton for IPv6");
    if (family != AF_INET) {
        errno = EAFNOSUPPORT;
        return -1;
    }
    unsigned char bytes[4];
    for (int i = 0; i < 4; i++) {
        uint64_t part;
        const char *end = number(text, 0, &part);
        /* No zeros in front. */
        if (!end || part > 255 || (*text == '0' && end - text > 1) || *end != (i < 3 ? '.' : '\0'))
            return 0;
        bytes[i] = (unsigned char)part;
        text = end + 1;
    }
    memcpy(to, bytes, 4);
    return 1;
}

/* For `EAI_` numbers, from -1 on. */
const char *gai_strerror(int code)
{
    static const char *const texts[] = {
        [1] = "Bad value for ai_flags",
        [2] = "Name or service not known",
        [3] = "Temporary failure in name resolution",
        [4] = "Non-recoverable failure in name resolution",
        [5] = "No address associated with hostname",
        [6] = "ai_family not supported",
        [7] = "ai_socktype not supported",
        [8] = "Servname not supported for ai_socktype",
        [9] = "Address family for hostname not supported",
        [10] = "Memory allocation failure",
        [11] = "System error",
    };
    return code >= -11 && code <= -1 ? texts[-code] : "Unknown error";
}
