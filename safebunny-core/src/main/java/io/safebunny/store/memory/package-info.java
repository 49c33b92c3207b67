// SPDX-License-Identifier: Apache-2.0
/** A message store in the memory of this process, for tests and demos; its records are gone when the process ends. */
@NullMarked
package io.safebunny.store.memory;

import org.jspecify.annotations.NullMarked;
