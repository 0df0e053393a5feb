/* A task that doubles numbers: right, and by macros wrong in many ways. */
#include <stdlib.h>
#include <string.h>

#include "defaults.h"
#include "recobench.h"

#define UNUSED __attribute__((unused)) static

typedef struct {
    uint32_t count, factor;
    uint32_t numbers[];
} Input;

/* Inputs that were made and not released. */
static int64_t inputs;

RECOBENCH_EXPORT int64_t inputs_alive(void) { return inputs; }

static Input *numbers(uint64_t count, uint64_t seed) {
    Input *input = malloc(sizeof *input + 4 * count);
    if (!input) return NULL;
    inputs++;
    input->count = (uint32_t)count;
    input->factor = 2;
    for (uint32_t i = 0; i < count; i++) input->numbers[i] = (uint32_t)(seed * 100 + i * 7 + 3);
    return input;
}

UNUSED int32_t plan(const recobench_task *task, const recobench_host *host,
                    const recobench_params *params, recobench_plan *plan) {
    (void)task;
    if (params->size != sizeof *params || params->count != 1) return RECOBENCH_FAILED;
    if (params->integers[0] > 1000) {
        host->explain(host, "more than 1000 numbers");
        return RECOBENCH_FAILED;
    }
    plan->input_bytes = plan->output_bytes = 4 * (uint64_t)params->integers[0];
    return RECOBENCH_OK;
}

UNUSED int32_t no_plan(const recobench_task *task, const recobench_host *host,
                       const recobench_params *params, recobench_plan *plan) {
    (void)task, (void)params, (void)plan;
    host->explain(host, "never");
    return RECOBENCH_FAILED;
}

UNUSED int32_t generate(const recobench_task *task, const recobench_host *host,
                        const recobench_params *params, uint64_t seed, void **input) {
    (void)task, (void)host;
    *input = numbers((uint64_t)params->numbers[0], seed);
    return *input ? RECOBENCH_OK : RECOBENCH_FAILED;
}

UNUSED int32_t hard_input(const recobench_task *task, const recobench_host *host, uint64_t index,
                          uint64_t seed, void **input) {
    static const uint64_t COUNTS[] = {0, 1, 50};
    (void)task, (void)host;
    *input = numbers(COUNTS[index % 3], seed);
    return *input ? RECOBENCH_OK : RECOBENCH_FAILED;
}

UNUSED int32_t empty_inputs(const recobench_task *task, const recobench_host *host, uint64_t index,
                            uint64_t seed, void **input) {
    (void)task, (void)host, (void)index, (void)seed;
    *input = numbers(0, 1);
    return RECOBENCH_OK;
}

UNUSED int32_t varying_inputs(const recobench_task *task, const recobench_host *host,
                              uint64_t index, uint64_t seed, void **input) {
    static uint64_t calls;
    (void)task, (void)host, (void)seed;
    *input = numbers(10 * index, ++calls);
    return RECOBENCH_OK;
}

UNUSED int32_t no_input(const recobench_task *task, const recobench_host *host, uint64_t index,
                        uint64_t seed, void **input) {
    (void)task, (void)host, (void)index, (void)seed, (void)input;
    return RECOBENCH_OK;
}

UNUSED int32_t failing_input(const recobench_task *task, const recobench_host *host,
                             uint64_t index, uint64_t seed, void **input) {
    (void)task, (void)index, (void)seed, (void)input;
    host->explain(host, "out of\nnumbers");
    return RECOBENCH_FAILED;
}

UNUSED int32_t describe(const recobench_task *task, const recobench_host *host, const void *input,
                        recobench_description *description) {
    const Input *numbers = input;
    (void)task, (void)host;
    if (description->size != sizeof *description) return RECOBENCH_FAILED;
    description->items = numbers->count;
    description->bytes_min = 8 * (uint64_t)numbers->count;
    description->shape = &numbers->factor;
    description->shape_bytes = sizeof numbers->factor;
    description->arrays[0] = numbers->numbers;
    description->elements[0] = numbers->count;
    description->capacities[0] = numbers->count;
    return RECOBENCH_OK;
}

/* A wrong description: FIELD = VALUE after the right one. */
#ifdef FIELD
UNUSED int32_t lying(const recobench_task *task, const recobench_host *host, const void *input,
                     recobench_description *description) {
    int32_t answer = describe(task, host, input, description);
    description->FIELD = VALUE;
    return answer;
}
#endif

static void double_all(const Input *input, uint32_t *doubled) {
    for (uint32_t i = 0; i < input->count; i++) doubled[i] = input->factor * input->numbers[i];
}

UNUSED int32_t reference(const recobench_task *task, const recobench_host *host, const void *input,
                         const recobench_outputs *right) {
    (void)task, (void)host;
    if (right->size != sizeof *right || right->count != 1) return RECOBENCH_FAILED;
    double_all(input, right->arrays[0]);
    return RECOBENCH_OK;
}

UNUSED int32_t long_reference(const recobench_task *task, const recobench_host *host,
                              const void *input, const recobench_outputs *right) {
    right->lengths[0] = right->capacities[0] + 5;
    return reference(task, host, input, right) == RECOBENCH_OK ? RECOBENCH_OK : RECOBENCH_FAILED;
}

UNUSED int32_t beyond_reference(const recobench_task *task, const recobench_host *host,
                                const void *input, const recobench_outputs *right) {
    int32_t answer = reference(task, host, input, right);
    /* After an empty buffer there is an unreadable page. */
    if (right->capacities[0]) ((uint32_t *)right->arrays[0])[right->capacities[0]] = 1;
    return answer;
}

UNUSED int32_t varying_reference(const recobench_task *task, const recobench_host *host,
                                 const void *input, const recobench_outputs *right) {
    static uint32_t calls;
    int32_t answer = reference(task, host, input, right);
    if (right->capacities[0]) ((uint32_t *)right->arrays[0])[0] = ++calls;
    return answer;
}

UNUSED int32_t failing_reference(const recobench_task *task, const recobench_host *host,
                                 const void *input, const recobench_outputs *right) {
    (void)task, (void)input, (void)right;
    host->explain(host, "no idea");
    return RECOBENCH_FAILED;
}

UNUSED int32_t crashing_reference(const recobench_task *task, const recobench_host *host,
                                  const void *input, const recobench_outputs *right) {
    *(volatile int *)0 = 1;
    return reference(task, host, input, right);
}

/* Differs from what all variants compute. */
UNUSED int32_t wrong_reference(const recobench_task *task, const recobench_host *host,
                               const void *input, const recobench_outputs *right) {
    int32_t answer = reference(task, host, input, right);
    if (right->capacities[0] > 7) ((uint32_t *)right->arrays[0])[7] = 0;
    return answer;
}

static uint32_t sum(const recobench_outputs *output, uint64_t first) {
    uint32_t sum = 0;
    for (uint64_t i = first; i < output->lengths[0]; i++) sum += ((uint32_t *)output->arrays[0])[i];
    return sum;
}

static int32_t judge(const recobench_host *host, int is_right) {
    if (!is_right) host->explain(host, "not the same");
    return is_right ? RECOBENCH_OK : RECOBENCH_FAILED;
}

UNUSED int32_t exact_check(const recobench_task *task, const recobench_host *host,
                           const void *input, const recobench_outputs *right,
                           const recobench_outputs *output) {
    (void)task, (void)input;
    return judge(host, right->lengths[0] == output->lengths[0] &&
                           !memcmp(right->arrays[0], output->arrays[0], 4 * right->lengths[0]));
}

UNUSED int32_t sum_check(const recobench_task *task, const recobench_host *host, const void *input,
                         const recobench_outputs *right, const recobench_outputs *output) {
    (void)task, (void)input;
    return judge(host, right->lengths[0] == output->lengths[0] && sum(right, 0) == sum(output, 0));
}

UNUSED int32_t yes_check(const recobench_task *task, const recobench_host *host, const void *input,
                         const recobench_outputs *right, const recobench_outputs *output) {
    (void)task, (void)input, (void)right, (void)output;
    return judge(host, 1);
}

UNUSED int32_t no_check(const recobench_task *task, const recobench_host *host, const void *input,
                        const recobench_outputs *right, const recobench_outputs *output) {
    (void)task, (void)input, (void)right, (void)output;
    return judge(host, 0);
}

UNUSED int32_t length_check(const recobench_task *task, const recobench_host *host,
                            const void *input, const recobench_outputs *right,
                            const recobench_outputs *output) {
    (void)task, (void)input;
    /* Sees the first number and the length only. */
    return judge(host, right->lengths[0] == output->lengths[0] &&
                           sum(right, 0) - sum(right, 1) == sum(output, 0) - sum(output, 1));
}

static void release(const recobench_task *task, void *input) {
    (void)task;
    inputs--;
    free(input);
}

static int32_t double_of(const recobench_host *host, const recobench_task_input *input) {
    const uint32_t *numbers = input->arrays[0];
    uint32_t *doubled = input->outputs.arrays[0];
    (void)host;
    if (input->size != sizeof *input || input->shape_bytes != 4) return RECOBENCH_FAILED;
    for (uint64_t i = 0; i < input->elements[0]; i++)
        doubled[i] = *(const uint32_t *)input->shape * numbers[i];
    return RECOBENCH_OK;
}

static int32_t prepare(const recobench_variant *variant, const recobench_host *host,
                       const void *input, void **state) {
    const recobench_task_input *task = input;
    (void)variant, (void)host, (void)state;
    return task->arrays || task->outputs.arrays ? RECOBENCH_FAILED : RECOBENCH_OK;
}

static int32_t run(void *state, const recobench_host *host, const void *input) {
    (void)state;
    return double_of(host, input);
}

static int32_t does_nothing(void *state, const recobench_host *host, const void *input) {
    (void)state, (void)host, (void)input;
    return RECOBENCH_OK;
}

static int32_t beyond(void *state, const recobench_host *host, const void *input) {
    const recobench_task_input *task = input;
    (void)state;
    ((uint32_t *)task->outputs.arrays[0])[task->outputs.capacities[0]] = 1;
    return double_of(host, input);
}

static int32_t too_long(void *state, const recobench_host *host, const void *input) {
    const recobench_task_input *task = input;
    (void)state;
    task->outputs.lengths[0] = 1000;
    return double_of(host, input);
}

static int32_t lengths_beyond(void *state, const recobench_host *host, const void *input) {
    const recobench_task_input *task = input;
    (void)state;
    task->outputs.lengths[1] = 1;
    return double_of(host, input);
}

static int32_t too_short(void *state, const recobench_host *host, const void *input) {
    const recobench_task_input *task = input;
    (void)state;
    if (task->outputs.lengths[0]) task->outputs.lengths[0]--;
    return double_of(host, input);
}

static int32_t changes_input(void *state, const recobench_host *host, const void *input) {
    const recobench_task_input *task = input;
    int32_t answer = double_of(host, input);
    (void)state;
    if (task->elements[0]) ((uint32_t *)task->arrays[0])[0]++;
    return answer;
}

static int32_t changes_shape(void *state, const recobench_host *host, const void *input) {
    const recobench_task_input *task = input;
    int32_t answer = double_of(host, input);
    (void)state;
    *(uint32_t *)task->shape = 3;
    return answer;
}

#define VARIANT(where, on, called, function)                                                       \
    static const recobench_variant called##_##where = {                                            \
        .size = sizeof(recobench_variant), .task = VARIANT_TASK, .name = #where "-" #called,       \
        .summary = "for tests", .backend = on, .prepare = prepare, .run = function};

#define VARIANTS(where, on)                                                                        \
    VARIANT(where, on, right, run)                                                                 \
    VARIANT(where, on, nothing, does_nothing)                                                      \
    VARIANT(where, on, beyond, beyond)                                                             \
    VARIANT(where, on, long, too_long)                                                             \
    VARIANT(where, on, short, too_short)                                                           \
    VARIANT(where, on, lengths, lengths_beyond)                                                    \
    VARIANT(where, on, changed, changes_input)                                                     \
    VARIANT(where, on, shape, changes_shape)

VARIANTS(cpu, RECOBENCH_CPU)
VARIANTS(cuda, RECOBENCH_CUDA)

#define ALL(where)                                                                                 \
    &right_##where, &nothing_##where, &beyond_##where, &long_##where, &short_##where,              \
        &lengths_##where, &changed_##where, &shape_##where

static const recobench_variant *const LIST[] = {ALL(cpu), ALL(cuda)};
static const recobench_plugin_table TABLE = {
    .size = sizeof TABLE, .name = "doubles", .version = "1",
    .variant_count = sizeof LIST / sizeof *LIST, .variants = LIST};

static const recobench_axis COUNT = {.size = AXIS_SIZE, .name = AXIS_NAME, .help = "Numbers",
                                     .default_value = DEFAULT, .kind = KIND};
static const recobench_axis *const AXES[] = {&COUNT};
static const recobench_array NUMBERS = {sizeof NUMBERS, "numbers", 4};
static const recobench_array *const ARRAYS[] = {&NUMBERS};
static const recobench_array DOUBLED = {sizeof DOUBLED, "doubles", ELEMENT_BYTES};
static const recobench_array *const OUTPUTS[] = {&DOUBLED};
static const char *const HARD[] = {"none", "one", "fifty"};

static const recobench_task TASK = {
    .size = TASK_SIZE, .name = TASK_NAME, .summary = "double numbers", .item_unit = "number",
    .axis_count = 1, .axes = AXES, .array_count = 1, .arrays = ARRAYS, .output_count = 1,
    .outputs = OUTPUTS, .hard_input_count = HARD_INPUTS, .hard_inputs = HARD,
    .any_order = ANY_ORDER, .plan = PLAN, .generate = GENERATE, .hard_input = HARD_INPUT,
    .describe = DESCRIBE, .reference = REFERENCE, .check = CHECK, .release = release};
static const recobench_task *const LIST_OF_TASKS[] = {&TASK};
__attribute__((unused)) static const recobench_task_table TABLE_OF_TASKS = {
    .size = TABLE_SIZE, .task_count = 1, .tasks = LIST_OF_TASKS};

uint32_t recobench_plugin_abi(void) { return RECOBENCH_ABI; }

const recobench_plugin_table *recobench_plugin(void) { return &TABLE; }

#ifndef NO_TASKS
const recobench_task_table *recobench_plugin_tasks(void) { return TASKS; }
#endif
