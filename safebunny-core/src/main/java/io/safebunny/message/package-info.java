// SPDX-License-Identifier: Apache-2.0
/** The message model: names, what goes on the wire, and the strict reading of what comes from it. No I/O. */
@NullMarked
package io.safebunny.message;

import org.jspecify.annotations.NullMarked;
