// SPDX-License-Identifier: Apache-2.0
/**
 * The database product and its dialect, the connection that a statement runs on, and what its failure means. Knows no table; the schema
 * script names them.
 */
@NullMarked
package io.safebunny.jdbc.sql;

import org.jspecify.annotations.NullMarked;
