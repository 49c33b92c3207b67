// SPDX-License-Identifier: Apache-2.0
/** Records in the memory of this process; gone when it ends. */
@NullMarked
package io.safebunny.store.memory;

import org.jspecify.annotations.NullMarked;
