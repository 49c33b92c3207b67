// SPDX-License-Identifier: Apache-2.0
/** The listings of docs/order.md, compiled and run. */
@NullMarked
package io.safebunny.docs.ordering;

import org.jspecify.annotations.NullMarked;
