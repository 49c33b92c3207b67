// SPDX-License-Identifier: Apache-2.0
/** The outbox's rows, the statements of its one table, and the sending of one correlation's rows in their order. */
@NullMarked
package io.safebunny.jdbc.outbox.rows;

import org.jspecify.annotations.NullMarked;
