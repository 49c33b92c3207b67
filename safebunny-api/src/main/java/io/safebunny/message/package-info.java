// SPDX-License-Identifier: Apache-2.0
/** The message model: names, the wire format, and the strict reading of incoming messages. No I/O. */
@NullMarked
package io.safebunny.message;

import org.jspecify.annotations.NullMarked;
