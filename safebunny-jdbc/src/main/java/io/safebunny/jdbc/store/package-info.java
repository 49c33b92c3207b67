// SPDX-License-Identifier: Apache-2.0
/**
 * The message store: records of handled messages, their steps and companions in three tables, written separately or in the handlers'
 * transactions. All of its SQL is in {@code RecordTable}; times are the database's.
 */
@NullMarked
package io.safebunny.jdbc.store;

import org.jspecify.annotations.NullMarked;
