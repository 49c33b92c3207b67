// SPDX-License-Identifier: Apache-2.0
/** The listing of docs/order.md with shards, compiled and run. */
@NullMarked
package io.safebunny.docs.sharding;

import org.jspecify.annotations.NullMarked;
