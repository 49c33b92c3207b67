// SPDX-License-Identifier: Apache-2.0
/**
 * Which database it is, where the databases differ, whose connection a statement runs on, and what its failure means. No table is known
 * here; the schema script names them all.
 */
@NullMarked
package io.safebunny.jdbc.sql;

import org.jspecify.annotations.NullMarked;
