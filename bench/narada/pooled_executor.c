#include "pooled_executor.h"

#include <pthread.h>
#include <stdlib.h>

struct task {
    task_function function;
    void *argument;
    pthread_t owner;    /* the worker that runs the task, if owned is set */
    bool owned;
    bool valid;
    bool done;
    long result;        /* meaningful once done is set */
};

struct task_list {
    struct task **items;
    size_t count;
    size_t size;
};

struct executor {
    pthread_mutex_t lock;
    struct task_list queue;
    struct task_list running;
    size_t completed;
    bool shut_down;
};

struct task *task_new(task_function function, void *argument)
{
    struct task *task = calloc(1, sizeof *task);

    if (task == NULL)
        return NULL;
    task->function = function;
    task->argument = argument;
    task->valid = true;
    return task;
}

void task_free(struct task *task)
{
    free(task);
}

bool task_is_valid(const struct task *task)
{
    return task->valid;
}

bool task_is_running(const struct task *task)
{
    return task->owned;
}

bool task_result(const struct task *task, long *result)
{
    if (!task->done)
        return false;
    *result = task->result;
    return true;
}

static void task_invalidate(struct task *task)
{
    task->valid = false;
    task->owned = false;
}

static bool list_resize(struct task_list *list, size_t size)
{
    struct task **items = realloc(list->items, size * sizeof *items);

    if (items == NULL)
        return false;
    list->items = items;
    list->size = size;
    return true;
}

/* Returns the index of the task in the list, or the count of the list if it is not there. */
static size_t list_find(const struct task_list *list, const struct task *task)
{
    size_t i = 0;

    while (i < list->count && list->items[i] != task)
        i++;
    return i;
}

static bool list_contains(const struct task_list *list, const struct task *task)
{
    return list_find(list, task) < list->count;
}

static bool list_remove(struct task_list *list, const struct task *task)
{
    size_t i = list_find(list, task);

    if (i == list->count)
        return false;
    list->count--;
    for (; i < list->count; i++)
        list->items[i] = list->items[i + 1];
    return true;
}

static void list_invalidate(struct task_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        task_invalidate(list->items[i]);
}

struct executor *executor_new(size_t capacity)
{
    struct executor *executor;

    if (capacity == 0)
        return NULL;
    executor = calloc(1, sizeof *executor);
    if (executor == NULL)
        return NULL;
    if (!list_resize(&executor->queue, capacity)) {
        free(executor);
        return NULL;
    }
    if (pthread_mutex_init(&executor->lock, NULL) != 0) {
        free(executor->queue.items);
        free(executor);
        return NULL;
    }
    return executor;
}

void executor_free(struct executor *executor)
{
    if (executor == NULL)
        return;
    pthread_mutex_destroy(&executor->lock);
    free(executor->queue.items);
    free(executor->running.items);
    free(executor);
}

bool executor_execute(struct executor *executor, struct task *task)
{
    struct task_list *queue = &executor->queue;
    bool accepted;

    pthread_mutex_lock(&executor->lock);
    accepted = !executor->shut_down && queue->count < queue->size && !list_contains(queue, task) &&
               !list_contains(&executor->running, task);
    if (accepted) {
        task->valid = true;
        task->done = false;
        queue->items[queue->count++] = task;
    }
    pthread_mutex_unlock(&executor->lock);
    return accepted;
}

/* Moves the first valid task from the queue to the running tasks; the executor is locked. */
static struct task *take_task(struct executor *executor)
{
    struct task_list *queue = &executor->queue;
    struct task_list *running = &executor->running;

    if (running->count == running->size && !list_resize(running, running->size + 4))
        return NULL;
    while (queue->count > 0) {
        struct task *task = queue->items[0];

        list_remove(queue, task);
        if (task->valid) {
            task->owner = pthread_self();
            task->owned = true;
            running->items[running->count++] = task;
            return task;
        }
    }
    return NULL;
}

bool executor_run_one(struct executor *executor)
{
    struct task *task;
    long result;

    pthread_mutex_lock(&executor->lock);
    task = take_task(executor);
    pthread_mutex_unlock(&executor->lock);
    if (task == NULL)
        return false;

    result = task->function(task->argument);

    pthread_mutex_lock(&executor->lock);
    list_remove(&executor->running, task);
    /* A task invalidated in the meantime has lost its owner, and the result is dropped. */
    if (task->owned && pthread_equal(task->owner, pthread_self())) {
        task->owned = false;
        task->result = result;
        task->done = true;
    }
    executor->completed++;
    pthread_mutex_unlock(&executor->lock);
    return true;
}

bool executor_invalidate(struct executor *executor, struct task *task)
{
    bool held;

    pthread_mutex_lock(&executor->lock);
    held = list_remove(&executor->queue, task) || list_contains(&executor->running, task);
    task_invalidate(task);
    pthread_mutex_unlock(&executor->lock);
    return held;
}

size_t executor_invalidate_all(struct executor *executor)
{
    size_t count;

    pthread_mutex_lock(&executor->lock);
    count = executor->queue.count + executor->running.count;
    list_invalidate(&executor->queue);
    list_invalidate(&executor->running);
    executor->queue.count = 0;
    pthread_mutex_unlock(&executor->lock);
    return count;
}

size_t executor_pending(struct executor *executor)
{
    size_t pending;

    pthread_mutex_lock(&executor->lock);
    pending = executor->queue.count;
    pthread_mutex_unlock(&executor->lock);
    return pending;
}

size_t executor_completed(struct executor *executor)
{
    size_t completed;

    pthread_mutex_lock(&executor->lock);
    completed = executor->completed;
    pthread_mutex_unlock(&executor->lock);
    return completed;
}

size_t executor_capacity(struct executor *executor)
{
    size_t capacity;

    pthread_mutex_lock(&executor->lock);
    capacity = executor->queue.size;
    pthread_mutex_unlock(&executor->lock);
    return capacity;
}

bool executor_set_capacity(struct executor *executor, size_t capacity)
{
    bool changed;

    pthread_mutex_lock(&executor->lock);
    changed = capacity > 0 && capacity >= executor->queue.count && list_resize(&executor->queue, capacity);
    pthread_mutex_unlock(&executor->lock);
    return changed;
}

void executor_shutdown(struct executor *executor)
{
    pthread_mutex_lock(&executor->lock);
    executor->shut_down = true;
    pthread_mutex_unlock(&executor->lock);
}
