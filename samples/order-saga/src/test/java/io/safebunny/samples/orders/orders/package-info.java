// SPDX-License-Identifier: Apache-2.0
/** Tests of the node {@code orders}, alone and without a broker. */
@NullMarked
package io.safebunny.samples.orders.orders;

import org.jspecify.annotations.NullMarked;
