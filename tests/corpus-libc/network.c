// Addresses and numbers of the network, and what the "C" locale says of itself.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>

static void read(const char *text)
{
    struct in_addr address = { 0 };
    int ok = inet_aton(text, &address);
    unsigned char bytes[4] = { 0 };
    printf("%s: %d %08x %08x", text, ok, ntohl(address.s_addr), ntohl(inet_addr(text)));
    printf(" %d", inet_pton(AF_INET, text, bytes));
    printf(" %d.%d.%d.%d\n", bytes[0], bytes[1], bytes[2], bytes[3]);
}

int main(void)
{
    printf("%x %x %x %x\n", htonl(0x01020304), htons(0x0102), ntohl(1), ntohs(0x8000));
    const char *texts[] = { "127.0.0.1", "255.255.255.255", "1.2.3", "1.2", "16909060", "0x7f.1", "0177.0.0.01", "1.2.3.4 x",
        "1.2.3.4x", "256.1.1.1", "1.2.3.256", "1.2.65536", "1.2.65535", "", ".", "1.", "1..2", "a.b.c.d", "0x", "4294967296",
        "1.2.3.4.5", "08.1.1.1", "00.0.0.0", "1.2.3.04" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        read(texts[i]);
    struct in_addr address = { htonl(0xc0a80a63) };
    char text[INET_ADDRSTRLEN], small[8];
    printf("%s %s %d\n", inet_ntoa(address), inet_ntop(AF_INET, &address, text, sizeof text),
        inet_ntop(AF_INET, &address, small, sizeof small) == NULL);
    address.s_addr = 0;
    printf("%s\n", inet_ntoa(address));
    printf("%s, %s\n", gai_strerror(EAI_NONAME), gai_strerror(EAI_AGAIN));
    const struct lconv *c = localeconv();
    printf("%s [%s] [%s] %d %d\n", c->decimal_point, c->thousands_sep, c->negative_sign, c->frac_digits == CHAR_MAX,
        c->int_n_sign_posn == CHAR_MAX);
    nl_item items[] = { CODESET, RADIXCHAR, THOUSEP, ABDAY_1, DAY_7, ABMON_12, MON_1, AM_STR, PM_STR, D_T_FMT, D_FMT, T_FMT,
        T_FMT_AMPM, YESEXPR, NOEXPR, CRNCYSTR, -1 };
    for (size_t i = 0; i < sizeof items / sizeof *items; i++)
        printf("%s|", nl_langinfo(items[i]));
    printf("\n");
    return 0;
}
