/* Unity, as far as tests of libraries use it: no more than running them in this program. */
#ifndef UNITY_FRAMEWORK_H
#define UNITY_FRAMEWORK_H
#define UNITY_INTERNALS_H
#define UNITY

#include "raddle_cases.h"
#include <stdint.h>

/* A test file may have them. */
__attribute__((weak)) void setUp(void);
__attribute__((weak)) void tearDown(void);
static inline int raddle_unity_run(void (*test)(void))
{
    if (!raddle_runs())
        return 0;
    if (setUp)
        setUp();
    test();
    if (tearDown)
        tearDown();
    return 1;
}

#define UNITY_BEGIN() 0
#define UNITY_END() 0
#define UnityBegin(file) ((void)(file))
#define UnityEnd() 0
#define RUN_TEST(test, ...) ((void)raddle_unity_run(test))
#define TEST_PROTECT() 1
#define TEST_ABORT() abort()
#define TEST_IGNORE() return
#define TEST_IGNORE_MESSAGE(message) return
#define TEST_PASS() return
#define TEST_MESSAGE(message) ((void)(message))
#define TEST_FAIL() abort()
#define TEST_FAIL_MESSAGE(message) abort()

#define TEST_ASSERT(c) raddle_check((c) ? 1 : 0)
#define TEST_ASSERT_MESSAGE(c, m) TEST_ASSERT(c)
#define TEST_ASSERT_TRUE(c) TEST_ASSERT(c)
#define TEST_ASSERT_TRUE_MESSAGE(c, m) TEST_ASSERT(c)
#define TEST_ASSERT_UNLESS(c) TEST_ASSERT(!(c))
#define TEST_ASSERT_FALSE(c) TEST_ASSERT(!(c))
#define TEST_ASSERT_FALSE_MESSAGE(c, m) TEST_ASSERT(!(c))
#define TEST_ASSERT_NULL(p) TEST_ASSERT((p) == NULL)
#define TEST_ASSERT_NULL_MESSAGE(p, m) TEST_ASSERT((p) == NULL)
#define TEST_ASSERT_NOT_NULL(p) TEST_ASSERT((p) != NULL)
#define TEST_ASSERT_NOT_NULL_MESSAGE(p, m) TEST_ASSERT((p) != NULL)

#define TEST_ASSERT_EQUAL(a, b) TEST_ASSERT((a) == (b))
#define TEST_ASSERT_EQUAL_MESSAGE(a, b, m) TEST_ASSERT((a) == (b))
#define TEST_ASSERT_NOT_EQUAL(a, b) TEST_ASSERT((a) != (b))
#define TEST_ASSERT_NOT_EQUAL_MESSAGE(a, b, m) TEST_ASSERT((a) != (b))
#define TEST_ASSERT_EQUAL_INT TEST_ASSERT_EQUAL
#define TEST_ASSERT_EQUAL_INT8 TEST_ASSERT_EQUAL
#define TEST_ASSERT_EQUAL_INT16 TEST_ASSERT_EQUAL
#define TEST_ASSERT_EQUAL_INT32 TEST_ASSERT_EQUAL
#define TEST_ASSERT_EQUAL_INT64 TEST_ASSERT_EQUAL
#define TEST_ASSERT_EQUAL_UINT TEST_ASSERT_EQUAL
#define TEST_ASSERT_EQUAL_UINT8 TEST_ASSERT_EQUAL
#define TEST_ASSERT_EQUAL_UINT16 TEST_ASSERT_EQUAL
#define TEST_ASSERT_EQUAL_UINT32 TEST_ASSERT_EQUAL
#define TEST_ASSERT_EQUAL_UINT64 TEST_ASSERT_EQUAL
#define TEST_ASSERT_EQUAL_size_t TEST_ASSERT_EQUAL
#define TEST_ASSERT_EQUAL_HEX TEST_ASSERT_EQUAL
#define TEST_ASSERT_EQUAL_HEX8 TEST_ASSERT_EQUAL
#define TEST_ASSERT_EQUAL_HEX16 TEST_ASSERT_EQUAL
#define TEST_ASSERT_EQUAL_HEX32 TEST_ASSERT_EQUAL
#define TEST_ASSERT_EQUAL_HEX64 TEST_ASSERT_EQUAL
#define TEST_ASSERT_EQUAL_CHAR TEST_ASSERT_EQUAL
#define TEST_ASSERT_EQUAL_PTR TEST_ASSERT_EQUAL
#define TEST_ASSERT_EQUAL_INT_MESSAGE TEST_ASSERT_EQUAL_MESSAGE
#define TEST_ASSERT_EQUAL_UINT_MESSAGE TEST_ASSERT_EQUAL_MESSAGE
#define TEST_ASSERT_EQUAL_PTR_MESSAGE TEST_ASSERT_EQUAL_MESSAGE
#define TEST_ASSERT_EQUAL_FLOAT TEST_ASSERT_EQUAL
#define TEST_ASSERT_EQUAL_DOUBLE TEST_ASSERT_EQUAL
#define TEST_ASSERT_GREATER_THAN(t, a) TEST_ASSERT((a) > (t))
#define TEST_ASSERT_LESS_THAN(t, a) TEST_ASSERT((a) < (t))
#define TEST_ASSERT_GREATER_OR_EQUAL(t, a) TEST_ASSERT((a) >= (t))
#define TEST_ASSERT_LESS_OR_EQUAL(t, a) TEST_ASSERT((a) <= (t))
#define TEST_ASSERT_INT_WITHIN(d, e, a) TEST_ASSERT((a) >= (e) - (d) && (a) <= (e) + (d))
#define TEST_ASSERT_FLOAT_WITHIN TEST_ASSERT_INT_WITHIN
#define TEST_ASSERT_DOUBLE_WITHIN TEST_ASSERT_INT_WITHIN
#define TEST_ASSERT_EQUAL_STRING(a, b) TEST_ASSERT(strcmp((a), (b)) == 0)
#define TEST_ASSERT_EQUAL_STRING_MESSAGE(a, b, m) TEST_ASSERT(strcmp((a), (b)) == 0)
#define TEST_ASSERT_EQUAL_STRING_LEN(a, b, n) TEST_ASSERT(strncmp((a), (b), (n)) == 0)
#define TEST_ASSERT_EQUAL_MEMORY(a, b, n) TEST_ASSERT(memcmp((a), (b), (n)) == 0)

#endif
