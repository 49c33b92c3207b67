// SPDX-License-Identifier: Apache-2.0
/** What the outbox stores, in one table, and the sending of one correlation's rows in their order. */
@NullMarked
package io.safebunny.jdbc.outbox.rows;

import org.jspecify.annotations.NullMarked;
