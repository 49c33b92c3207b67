// SPDX-License-Identifier: Apache-2.0
/** Claims of limited duration, renewed while a handler runs: for stores without transactions of the handler's. */
@NullMarked
package io.safebunny.dedup.lease;

import org.jspecify.annotations.NullMarked;
