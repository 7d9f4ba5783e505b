/*
 * A pooled executor whose tasks can be invalidated.
 *
 * An executor keeps a bounded queue of tasks.  It starts no threads: the caller's workers call
 * executor_run_one in a loop.  Executors are thread-safe.  Tasks belong to the caller, who keeps a task
 * until no executor holds it any more.
 */
#ifndef POOLED_EXECUTOR_H
#define POOLED_EXECUTOR_H

#include <stdbool.h>
#include <stddef.h>

struct executor;
struct task;

/* The work of a task; what it returns becomes the result of the task. */
typedef long (*task_function)(void *argument);

/* Creates a task that calls function with argument, or returns NULL if out of memory. */
struct task *task_new(task_function function, void *argument);

/* Destroys a task that no executor holds. */
void task_free(struct task *task);

/* Says whether the task has not been invalidated since it was last submitted. */
bool task_is_valid(const struct task *task);

/* Says whether a worker owns the task at the moment. */
bool task_is_running(const struct task *task);

/* Stores the result of a finished task and returns true, or returns false if there is no result. */
bool task_result(const struct task *task, long *result);

/* Creates an executor whose queue holds up to capacity tasks, or returns NULL if that is not possible. */
struct executor *executor_new(size_t capacity);

/* Destroys an executor, forgetting the tasks in its queue; no task may be running. */
void executor_free(struct executor *executor);

/* Submits a task; false if the queue is full, the executor shut down or the task already in it. */
bool executor_execute(struct executor *executor, struct task *task);

/* Takes the next valid task and runs it in the calling thread; false if there is none to run. */
bool executor_run_one(struct executor *executor);

/* Invalidates a task, taking it out of the queue; says whether the executor held it. */
bool executor_invalidate(struct executor *executor, struct task *task);

/* Invalidates all tasks, queued and running, and returns how many there were. */
size_t executor_invalidate_all(struct executor *executor);

/* Returns the number of tasks in the queue. */
size_t executor_pending(struct executor *executor);

/* Returns the number of tasks that have run to their end. */
size_t executor_completed(struct executor *executor);

/* Returns the number of tasks the queue can hold. */
size_t executor_capacity(struct executor *executor);

/* Changes the capacity of the queue; false if it is less than what is pending, or out of memory. */
bool executor_set_capacity(struct executor *executor, size_t capacity);

/* Makes the executor refuse new tasks; those in the queue can still be run. */
void executor_shutdown(struct executor *executor);

#endif
