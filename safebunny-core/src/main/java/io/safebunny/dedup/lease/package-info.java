// SPDX-License-Identifier: Apache-2.0
/** Plain mode, where a handler has no transaction in common with the store: claims of limited duration, renewed while the handler runs. */
@NullMarked
package io.safebunny.dedup.lease;

import org.jspecify.annotations.NullMarked;
