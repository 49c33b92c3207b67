// SPDX-License-Identifier: Apache-2.0
/** The message store on H2, PostgreSQL and MariaDB. */
@NullMarked
package io.safebunny.jdbc;

import org.jspecify.annotations.NullMarked;
