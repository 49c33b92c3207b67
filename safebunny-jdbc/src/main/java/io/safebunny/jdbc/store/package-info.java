// SPDX-License-Identifier: Apache-2.0
/**
 * The message store: records of handled messages, their steps and companions in three tables, apart from what handlers write or in their transactions. All of its SQL is
 * in the tables' types; times are the database's.
 */
@NullMarked
package io.safebunny.jdbc.store;

import org.jspecify.annotations.NullMarked;
