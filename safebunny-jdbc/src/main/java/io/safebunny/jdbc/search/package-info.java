// SPDX-License-Identifier: Apache-2.0
/** What people look for in a table: no search may keep handlers from their work. */
@NullMarked
package io.safebunny.jdbc.search;

import org.jspecify.annotations.NullMarked;
