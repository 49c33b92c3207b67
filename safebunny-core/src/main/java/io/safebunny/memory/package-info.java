// SPDX-License-Identifier: Apache-2.0
/**
 * A transport and a message store in the memory of this process, for tests and demos. What they hold is gone when the process ends.
 */
@NullMarked
package io.safebunny.memory;

import org.jspecify.annotations.NullMarked;
