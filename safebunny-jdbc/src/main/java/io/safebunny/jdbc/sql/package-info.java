// SPDX-License-Identifier: Apache-2.0
/**
 * The database product and its dialect, the connection that a statement runs on, and the meaning of failures. Names no table; only the
 * schema script does.
 */
@NullMarked
package io.safebunny.jdbc.sql;

import org.jspecify.annotations.NullMarked;
