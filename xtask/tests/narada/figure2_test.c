#include "figure2.h"
#include <assert.h>

/* Narada, Figure 5. */
int main(void)
{
    struct wbq *cwbq = coalesced_new();
    struct wbq *swbq = safe_new(cwbq);
    assert(remove_first(swbq) == 1);
    return 0;
}
