// SPDX-License-Identifier: Apache-2.0
/**
 * The records of a store as rows of three tables (sagas and scheduled messages are in that of the companions), and the statements that write and read them on a given connection. All SQL is in {@code
 * RecordTable}; times come from the database's clock.
 */
@NullMarked
package io.safebunny.jdbc.store.rows;

import org.jspecify.annotations.NullMarked;
