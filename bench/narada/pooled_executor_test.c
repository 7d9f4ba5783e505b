#include "pooled_executor.h"

#include <assert.h>

static long square(void *argument)
{
    long number = *(const long *)argument;

    return number * number;
}

int main(void)
{
    long six = 6, seven = 7, eight = 8;
    long result = 0;
    bool ok;
    size_t count;
    struct executor *executor = executor_new(2);
    struct task *first = task_new(square, &six);
    struct task *second = task_new(square, &seven);
    struct task *third = task_new(square, &eight);

    assert(executor != NULL && first != NULL && second != NULL && third != NULL);

    ok = executor_execute(executor, first);
    assert(ok);
    ok = executor_execute(executor, second);
    assert(ok);

    ok = executor_set_capacity(executor, 4);
    assert(ok);
    count = executor_capacity(executor);
    assert(count == 4);

    ok = executor_execute(executor, third);
    assert(ok);
    count = executor_pending(executor);
    assert(count == 3);

    ok = executor_run_one(executor);
    assert(ok);
    count = executor_completed(executor);
    assert(count == 1);
    ok = task_is_running(first);
    assert(!ok);
    ok = task_result(first, &result);
    assert(ok && result == 36);

    ok = executor_invalidate(executor, second);
    assert(ok);
    ok = task_is_valid(second);
    assert(!ok);
    count = executor_invalidate_all(executor);
    assert(count == 1);

    executor_shutdown(executor);

    executor_free(executor);
    task_free(third);
    task_free(second);
    task_free(first);
    return 0;
}
