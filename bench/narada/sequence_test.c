#include "sequence.h"

#include <assert.h>
#include <string.h>

int main(void)
{
    char sql[200];
    long long number = 0;
    int length;
    bool ok;
    unsigned long updates;
    struct database *database = database_new();
    struct sequence *sequence = sequence_new(database, "orders", 1, 1, 10, 1, 100, false, false);

    assert(database != NULL && sequence != NULL);

    ok = sequence_is_valid(5, 1, 100, -2);
    assert(ok);

    ok = sequence_get_next(sequence, &number);
    assert(ok && number == 1);
    number = sequence_get_current_value(sequence);
    assert(number == 1);

    ok = sequence_set_start_value(sequence, 20);
    assert(ok);
    ok = sequence_set_min_value(sequence, 10);
    assert(ok);
    number = sequence_get_min_value(sequence);
    assert(number == 10);
    ok = sequence_set_max_value(sequence, 50);
    assert(ok);
    number = sequence_get_max_value(sequence);
    assert(number == 50);

    ok = sequence_modify(sequence, 30, 0, 40, 5);
    assert(ok);
    number = sequence_get_increment(sequence);
    assert(number == 5);

    sequence_set_cache_size(sequence, 2);
    sequence_set_cycle(sequence, true);
    ok = sequence_get_cycle(sequence);
    assert(ok);
    sequence_set_belongs_to_table(sequence, true);
    ok = sequence_get_belongs_to_table(sequence);
    assert(ok);

    length = sequence_get_create_sql(sequence, sql, sizeof sql);
    assert(length == (int)strlen(sql));
    assert(strcmp(sql, "CREATE SEQUENCE orders START WITH 30 INCREMENT BY 5"
                       " MINVALUE 0 MAXVALUE 40 CACHE 2 CYCLE BELONGS_TO_TABLE") == 0);

    database_checkpoint(database);
    sequence_flush(sequence);
    ok = database_is_dirty(database);
    assert(ok);

    ok = sequence_get_next(sequence, &number);
    assert(ok && number == 30);
    sequence_close(sequence);
    updates = database_update_count(database);
    assert(updates == 4);

    sequence_free(sequence);
    database_free(database);
    return 0;
}
