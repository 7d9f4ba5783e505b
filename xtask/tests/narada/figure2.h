#pragma once
/* Narada, Figure 2: a write-behind queue, and a wrapper of one that is called safe. */
struct wbq;
struct wbq *coalesced_new(void);
struct wbq *safe_new(struct wbq *inner);
int remove_first(struct wbq *q);
