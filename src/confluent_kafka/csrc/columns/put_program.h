/*
 * A program of put_steps.h as a whole: from its description in Python to a row that it writes.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_PUT_PROGRAM_H
#define CONFLUENT_KAFKA_COLUMNS_PUT_PROGRAM_H

#include "columns/payload_format.h"

typedef struct put_program put_program;

/*
 * From a tuple of instructions (instruction.h) for rows of these types, whose names are among those
 * of the format's kinds. NULL with an exception.
 */
put_program *put_program_compile(PyObject *description, const payload_format *format,
                                 const input_types *types);
void put_program_release(put_program *self);
/* Where the program finds what it writes of these rows: to free(); NULL: there is no memory. */
put_source *put_program_bind(const put_program *self, const input_columns *rows);
/* What writes the rows to `to`, and says in `failure` what is wrong with one. */
put_machine put_program_machine(const put_program *self, const input_columns *rows,
                                const put_source *sources, payload_writer to,
                                write_failure *failure);
/* Writes a row that is not null to `machine->to`. One that is bad leaves a part of it behind. */
enum row_status put_program_write(const put_program *self, put_machine *machine, int64_t row);
/* Writes payloads of what rows it can, as put_rows_runner says, from `row` up to `until`. */
void put_program_write_rows(const put_program *self, put_machine *machine, const void *prefix,
                            int64_t prefix_size, int64_t row, int64_t until);

#endif
