#pragma once
struct counter { int count; };
struct lib;
struct lib *lib_new(void);
void lib_update(struct lib *l);
void lib_set(struct lib *l, struct counter *c);
struct counter *counter_new(void);
