// SPDX-License-Identifier: Apache-2.0
/** Holds the documentation against the code: its listings are compiled and run, its tables are compared. */
@NullMarked
package io.safebunny.docs;

import org.jspecify.annotations.NullMarked;
