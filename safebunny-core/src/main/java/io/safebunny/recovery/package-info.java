// SPDX-License-Identifier: Apache-2.0
/** Decides, once for each failure and without I/O, what it means for its message, the record of it and the breaker of its type. */
@NullMarked
package io.safebunny.recovery;

import org.jspecify.annotations.NullMarked;
