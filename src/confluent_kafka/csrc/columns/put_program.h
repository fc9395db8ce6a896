/*
 * A whole program of put_steps.h: from its description in Python to writing rows.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_PUT_PROGRAM_H
#define CONFLUENT_KAFKA_COLUMNS_PUT_PROGRAM_H

#include "columns/payload_format.h"

typedef struct put_program put_program;

/*
 * Compiles a tuple of instructions (instruction.h) for rows of these types. The names of the
 * instructions must be among the format's kinds. NULL with an exception.
 */
put_program *put_program_compile(PyObject *description, const payload_format *format,
                                 const input_types *types);
void put_program_release(put_program *self);
/* Finds the data that the program writes, in these rows. To be freed with free(); NULL: no
 * memory. */
put_source *put_program_bind(const put_program *self, const input_columns *rows);
/* Returns a machine that writes the rows to `to`, and sets `failure` for a bad row. */
put_machine put_program_machine(const put_program *self, const input_columns *rows,
                                const put_source *sources, payload_writer to,
                                write_failure *failure);
/* Writes a row that is not null to `machine->to`. A bad row leaves a part of itself there. */
enum row_status put_program_write(const put_program *self, put_machine *machine, int64_t row);
/* Writes payloads of rows from `row` to `until`, as far as it can; see put_rows_runner. */
void put_program_write_rows(const put_program *self, put_machine *machine, const void *prefix,
                            int64_t prefix_size, int64_t row, int64_t until);

#endif
