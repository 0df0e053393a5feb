/* A right task, as far as no macros are given that make it wrong. */
#ifndef TASK_DEFAULTS_H
#define TASK_DEFAULTS_H

#ifndef TASK_NAME
#define TASK_NAME "double"
#endif
#ifndef TASK_SIZE
#define TASK_SIZE sizeof(recobench_task)
#endif
#ifndef TABLE_SIZE
#define TABLE_SIZE sizeof(recobench_task_table)
#endif
#ifndef AXIS_SIZE
#define AXIS_SIZE sizeof(recobench_axis)
#endif
#ifndef AXIS_NAME
#define AXIS_NAME "count"
#endif
#ifndef DEFAULT
#define DEFAULT "100"
#endif
#ifndef KIND
#define KIND RECOBENCH_AXIS_COUNT
#endif
#ifndef HARD_INPUTS
#define HARD_INPUTS 3
#endif
#ifndef ELEMENT_BYTES
#define ELEMENT_BYTES 4
#endif
#ifndef VARIANT_TASK
#define VARIANT_TASK TASK_NAME
#endif
#ifndef ANY_ORDER
#define ANY_ORDER 0
#endif
#ifndef CHECK
#define CHECK NULL
#endif
#ifndef DESCRIBE
#define DESCRIBE describe
#endif
#ifndef REFERENCE
#define REFERENCE reference
#endif
#ifndef PLAN
#define PLAN plan
#endif
#ifndef HARD_INPUT
#define HARD_INPUT hard_input
#endif
#ifndef GENERATE
#define GENERATE generate
#endif
#ifndef TASKS
#define TASKS &TABLE_OF_TASKS
#endif

#endif
