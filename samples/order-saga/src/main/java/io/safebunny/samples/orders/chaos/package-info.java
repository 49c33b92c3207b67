// SPDX-License-Identifier: Apache-2.0
/** Makes things go wrong on purpose, from outside of the nodes: they know nothing of it. */
@NullMarked
package io.safebunny.samples.orders.chaos;

import org.jspecify.annotations.NullMarked;
