// SPDX-License-Identifier: Apache-2.0
/**
 * What the store keeps, as rows of three tables, and the statements that write and read them, each on a given connection. All of the SQL is
 * in {@code RecordTable}; times are the database's.
 */
@NullMarked
package io.safebunny.jdbc.store.rows;

import org.jspecify.annotations.NullMarked;
