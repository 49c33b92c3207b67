// SPDX-License-Identifier: Apache-2.0
/** Keys of persons in a database. Reads and writes one row at a time, each on a connection of its own. */
@NullMarked
package io.safebunny.jdbc.subjects;

import org.jspecify.annotations.NullMarked;
