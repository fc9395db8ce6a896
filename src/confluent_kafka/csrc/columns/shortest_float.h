/*
 * Writes floating-point numbers as decimal text: the fewest digits that are read as the same
 * number, and the nearest of these, as Python's repr() does.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_SHORTEST_FLOAT_H
#define CONFLUENT_KAFKA_COLUMNS_SHORTEST_FLOAT_H

#include <stddef.h>
#include <stdint.h>

/* The maximum size of the text, such as -2.2250738585072014e-308. */
#define FLOAT_TEXT_SIZE 32

/* Writes a finite number; returns the number of bytes. */
size_t double_write(double value, uint8_t *to);
/* The fewest digits that are read as the same float. */
size_t float_write(float value, uint8_t *to);

#endif
