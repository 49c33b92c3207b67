// SPDX-License-Identifier: Apache-2.0
/** Publishing: ids, serialization, sending, and collecting inside a handler. */
@NullMarked
package io.safebunny.publishing;

import org.jspecify.annotations.NullMarked;
